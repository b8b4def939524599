// node command_line.mjs man|bash|zsh|fish FOLDER < DESCRIPTION: makes manual pages or a completion file from the output of
// `openseat describe`, so both always match --help.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [kind, folder] = process.argv.slice(2);
const makers = { man, bash, zsh, fish };
if (!(kind in makers) || !folder) {
  console.error('usage: command_line.mjs man|bash|zsh|fish FOLDER < DESCRIPTION');
  process.exit(2);
}
const root = JSON.parse(readFileSync(0, 'utf8'));
mkdirSync(folder, { recursive: true });
makers[kind]();

// Every command with its words: [["openseat"], root], [["openseat", "serve"], …], …
function commands(command = root, words = [root.name]) {
  return [[words, command], ...command.commands.flatMap((each) => commands(each, [...words, each.name]))];
}
function flags(command) {
  const help = { names: ['-h', '--help'], help: 'Prints this help and ends' };
  const version = { names: ['--version'], help: 'Prints the version and ends' };
  const own = command.options.filter(({ names }) => names[0].startsWith('-'));
  return [...own, help, ...(command === root ? [version] : [])];
}
function places(command) {
  return command.options.filter(({ names }) => !names[0].startsWith('-'));
}

function write(name, text) {
  writeFileSync(join(folder, name), text);
}

// Text for groff: lines must not begin with a dot or quote, and hyphens must be copyable.
function roff(text) {
  return text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('…', '...').replace(/^(['.])/gm, '\\&$1');
}

function man() {
  const version = process.env.OPENSEAT_VERSION ?? '';
  for (const [words, command] of commands()) {
    const name = words.join('-');
    const lines = [`.TH ${name.toUpperCase()} 1 "" "openseat ${version}" "Openseat"`];
    const section = (title) => lines.push(`.SH ${title}`);
    section('NAME');
    lines.push(`${roff(name)} \\- ${roff(command.description.replace(/\.$/, ''))}`);
    section('SYNOPSIS');
    const arguments_ = places(command).map(({ value, required }) => (required ? `\\fI${roff(value)}\\fR` : `[\\fI${roff(value)}\\fR]`));
    lines.push([`.B ${words.join(' ')}`, '[\\fIOPTION\\fR...]', ...(command.commands.length ? ['\\fICOMMAND\\fR'] : arguments_)].join('\n'));
    if (command.commands.length) {
      section('COMMANDS');
      for (const each of command.commands) {
        lines.push('.TP', `.B ${roff(each.name)}`, roff(each.description) + `; see \\fB${roff([...words, each.name].join('-'))}\\fR(1)`);
      }
    }
    if (places(command).length) {
      section('ARGUMENTS');
      for (const option of places(command)) lines.push('.TP', `.I ${roff(option.value)}`, roff(option.help));
    }
    section('OPTIONS');
    for (const option of flags(command)) {
      const value = option.value ? ` \\fI${roff(option.value)}\\fR` : '';
      lines.push('.TP', option.names.map((each) => `\\fB${roff(each)}\\fR${value}`).join(', '), roff(option.help));
      const more = [];
      if (option.values) more.push(`One of ${option.values.join(', ')}.`);
      if (option.env) more.push(`Variable: ${option.env}.`);
      if (more.length) lines.push('.br', roff(more.join(' ')));
    }
    for (const [title, text] of footerSections(command.footer)) {
      section(title);
      lines.push('.nf', roff(text), '.fi');
    }
    if (words.at(-1) === 'serve') {
      section('FILES');
      lines.push('.TP', '.I /etc/openseat/openseat.toml', 'The configuration of the system\\(aqs service.');
      lines.push('.TP', '.I /var/lib/openseat', 'Its data directory.');
      lines.push('.TP', '.I ~/.local/share/openseat', 'The data directory of a server that you start yourself.');
      lines.push('.TP', '.I /etc/default/openseat', 'Variables of the service, such as the keys of model providers.');
    }
    section('SEE ALSO');
    // The parent command, its siblings, its children.
    const above = (path) => path.slice(0, -1).join();
    const near = commands().map(([path]) => path).filter((path) =>
      path.join() !== words.join() && (path.join() === above(words) || (words.length > 1 && above(path) === above(words)) || above(path) === words.join()));
    lines.push(near.map((path) => `\\fB${roff(path.join('-'))}\\fR(1)`).join(',\n'));
    write(`${name}.1`, lines.join('\n') + '\n');
  }
}

// The closing paragraphs of help, by type: "Examples:\n  …", "Exit codes: …", and the rest.
function footerSections(footer) {
  const sections = new Map();
  for (const paragraph of footer.trim().split(/\n\n|\n(?=Exit codes:|Examples?:\n)/)) {
    const [whole, title] = /^(Examples?:\n|Exit codes: )?/.exec(paragraph);
    const name = title === undefined ? 'NOTES' : title.startsWith('Exit') ? 'EXIT STATUS' : 'EXAMPLES';
    const text = title?.startsWith('Exam') ? paragraph.slice(whole.length).replace(/^ {2}/gm, '') : paragraph.slice(whole.length);
    if (text !== '') sections.set(name, sections.has(name) ? `${sections.get(name)}\n\n${text}` : text);
  }
  return sections;
}

function isFile(option) {
  return /FILE|DIR/.test(option.value ?? '');
}

function bash() {
  const cases = commands().map(([words, command]) => {
    const lines = [`    '${words.slice(1).join(' ')}')`];
    const own = flags(command);
    const valued = own.filter((each) => each.value);
    if (valued.length) {
      lines.push('      case $previous in');
      for (const option of valued) {
        const answer = option.values ? `-W '${option.values.join(' ')}'` : isFile(option) ? '-f' : "-W ''";
        lines.push(`        ${option.names.join('|')}) COMPREPLY=($(compgen ${answer} -- "$word")); return ;;`);
      }
      lines.push('      esac');
    }
    const names = own.flatMap(({ names }) => names);
    lines.push(`      words='${[...command.commands.map(({ name }) => name), ...names].join(' ')}' ;;`);
    return lines.join('\n');
  });
  const known = commands().slice(1).map(([words]) => `'${words.slice(1).join(' ')}'`).join('|');
  write('openseat', `# Completion of openseat for bash, made by scripts/command_line.mjs.
# shellcheck shell=bash
_openseat() {
  local word=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command='' longer words='' i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    longer="\${command:+$command }\${COMP_WORDS[i]}"
    case $longer in
      ${known}) command=$longer ;;
    esac
  done
  # shellcheck disable=SC2207  # completions have no blanks
  case $command in
${cases.join('\n')}
  esac
  # shellcheck disable=SC2207
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _openseat openseat
`);
}

function zsh() {
  const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const plain = (text) => text.replace(/[[\]:]/g, (each) => `\\${each}`);
  const functions = commands().map(([words, command]) => {
    const lines = [`_${words.join('_')}() {`, '  local state line', '  _arguments -C \\'];
    for (const option of flags(command)) {
      const action = option.values ? `(${option.values.join(' ')})` : isFile(option) ? '_files' : '';
      for (const name of option.names) {
        const value = option.value ? `:${plain(option.value)}:${action}` : '';
        lines.push(`    ${quote(`${option.repeatable ? '*' : ''}${name}[${plain(option.help)}]${value}`)} \\`);
      }
    }
    if (command.commands.length) {
      lines.push("    '1: :->command' '*:: :->rest'", '  case $state in', '    command)', '      local -a commands=(');
      for (const each of command.commands) lines.push(`        ${quote(`${each.name}:${plain(each.description)}`)}`);
      lines.push('      )', "      _describe 'command' commands ;;", '    rest)', `      case $line[1] in`);
      for (const each of command.commands) lines.push(`        ${each.name}) _${[...words, each.name].join('_')} ;;`);
      lines.push('      esac ;;', '  esac');
    } else {
      lines.push("    '*: :_files'");
    }
    return [...lines, '}'].join('\n');
  });
  write('_openseat', `#compdef openseat\n# Completion of openseat for zsh, made by scripts/command_line.mjs.\n${functions.reverse().join('\n')}\n_openseat "$@"\n`);
}

function fish() {
  const quote = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = ['# Completion of openseat for fish, made by scripts/command_line.mjs.', 'complete -c openseat -f'];
  for (const [words, command] of commands()) {
    const path = words.slice(1);
    const below = command.commands.map(({ name }) => name).join(' ');
    const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`);
    const here = [...seen, ...(below ? [`not __fish_seen_subcommand_from ${below}`] : [])].join('; and ') || 'true';
    for (const each of command.commands) lines.push(`complete -c openseat -n ${quote(here)} -a ${each.name} -d ${quote(each.description)}`);
    for (const option of flags(command)) {
      const names = option.names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)).join(' ');
      const value = option.values ? ` -x -a ${quote(option.values.join(' '))}` : isFile(option) ? ' -r -F' : option.value ? ' -x' : '';
      lines.push(`complete -c openseat -n ${quote(here)} ${names}${value} -d ${quote(option.help)}`);
    }
  }
  write('openseat.fish', lines.join('\n') + '\n');
}
