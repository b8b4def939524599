// A chat's page: the published bridge, and a frame with the proxy. What the view asks for goes to functions of chat.mjs
// (window.callTool), what it says is kept in window.heard.
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

window.heard = { messages: [], contexts: [], sizes: [], modes: [], initialized: 0 };

// capabilities: what the host offers; context: its context.
window.open_view = async (proxy, html, capabilities, context) => {
  document.querySelector('iframe')?.remove();
  const frame = document.createElement('iframe');
  frame.style.cssText = 'width: 760px; height: 900px; border: 0';
  const ready = new Promise((done) => {
    const hear = ({ source, data }) => {
      if (source !== frame.contentWindow || data?.method !== 'ui/notifications/sandbox-proxy-ready') return;
      window.removeEventListener('message', hear);
      done();
    };
    window.addEventListener('message', hear);
  });
  frame.src = proxy;
  document.body.append(frame);
  await ready;
  const bridge = new AppBridge(null, { name: 'chat', version: '1' }, capabilities, { hostContext: context });
  const begun = new Promise((done) => {
    bridge.oninitialized = () => {
      window.heard.initialized += 1;
      done();
    };
  });
  bridge.oncalltool = (params) => window.callTool(params);
  if (capabilities.message) bridge.onmessage = async (params) => (window.heard.messages.push(params), {});
  if (capabilities.updateModelContext) bridge.onupdatemodelcontext = async (params) => (window.heard.contexts.push(params), {});
  bridge.onsizechange = (params) => void window.heard.sizes.push(params);
  bridge.onrequestdisplaymode = async ({ mode }) => (window.heard.modes.push(mode), { mode });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  await bridge.sendSandboxResourceReady({ html });
  await begun;
  window.bridge = bridge;
};
