// The board that a chat's host draws (docs/protocols/mcp.md): one document without network. build_tools/one_file.mjs makes it.
import '../styles/tokens.css';
import '../styles/base.css';
import './chat.css';
import '../boards';
import { mount } from 'svelte';
import ChatBoard from './ChatBoard.svelte';

mount(ChatBoard, { target: document.body });
