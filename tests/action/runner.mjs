// As much of GitHub's runner as action.yml needs: it reads the file, fills in expressions, runs the `run` steps with
// bash, and reads outputs, the summary and workflow commands back. Anything that it does not support is an error.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// `text` with the values of its `${{ … }}`; the value itself if `text` is a single expression.
function expand(text, contexts) {
  return String(text).replace(/\$\{\{\s*(.*?)\s*\}\}/g, (_, expression) => evaluate(expression, contexts));
}

function evaluate(expression, contexts) {
  const equal = /^(.*\S)\s*==\s*(\S.*)$/.exec(expression);
  if (equal) return evaluate(equal[1], contexts) === evaluate(equal[2], contexts);
  const text = /^'([^']*)'$/.exec(expression);
  if (text) return text[1];
  if (!/^[a-z]+(\.[a-z0-9_-]+)+$/.test(expression)) throw new Error(`unknown expression: ${expression}`);
  let value = contexts;
  for (const name of expression.split('.')) value = value?.[name];
  return value ?? ''; // as GitHub does
}

// The file that GITHUB_OUTPUT names.
export function readOutputs(path) {
  const outputs = {};
  const lines = readFileSync(path, 'utf8').split('\n');
  for (let i = 0; i < lines.length; ++i) {
    if (lines[i] === '') continue;
    const heredoc = /^([^=]+?)<<(.+)$/.exec(lines[i]);
    if (!heredoc) throw new Error(`no output: ${lines[i]}`);
    const end = lines.indexOf(heredoc[2], i + 1);
    if (end < 0) throw new Error(`the output ${heredoc[1]} does not end`);
    outputs[heredoc[1]] = lines.slice(i + 1, end).join('\n');
    i = end;
  }
  return outputs;
}

// The workflow commands that the runner would execute: "::name …::text" at the start of a line, "##[name …]text"
// anywhere in a line, but none between stop-commands and its token.
export function readCommands(stdout) {
  const known = new Set(['error', 'warning', 'notice', 'debug', 'group', 'endgroup', 'add-mask', 'add-path', 'set-env',
    'set-output', 'save-state', 'add-matcher', 'remove-matcher', 'echo', 'stop-commands']);
  const commands = [];
  let token = '';
  for (const line of stdout.split(/\r\n|\n|\r/)) {
    const second = /^\s*::([^ :]+)( .*?)?::(.*)$/.exec(line);
    const first = /##\[([^ \]]+)([^\]]*)\](.*)/.exec(line);
    const isKnown = (match) => match && (known.has(match[1]) || (token !== '' && match[1] === token));
    const match = isKnown(second) ? second : isKnown(first) ? first : null;
    if (!match) continue;
    if (token !== '') {
      if (match[1] === token) token = '';
    } else if (match[1] === 'stop-commands') {
      token = match[3];
    } else {
      commands.push({ name: match[1], properties: (match[2] ?? '').trim(), text: match[3] });
    }
  }
  if (token !== '') throw new Error('the commands were never resumed');
  return commands;
}

function bash(script, options) {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['--noprofile', '--norc', '-e', '-o', 'pipefail', script], options);
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (stdout += text)); // the runner treats both the same
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code: code ?? signal, stdout }));
    options.started?.(child);
  });
}

// Runs the action. `action` is the parsed action.yml, `path` the folder that GITHUB_ACTION_PATH names, `temp` the folder
// in which the run gets its own folder, `inputs` the values of `with:`. Returns the exit code of the step that failed
// (0: none), outputs, commands, summary, stdout and the steps with `uses`, which are not run.
export async function runAction({ action, path, temp, inputs, env = {}, started }) {
  const given = {};
  for (const [name, input] of Object.entries(action.inputs)) {
    given[name] = String(inputs[name] ?? input.default ?? '');
  }
  for (const name of Object.keys(inputs)) {
    if (!(name in action.inputs)) throw new Error(`the action has no input ${name}`);
  }
  const work = mkdtempSync(join(temp, 'with a blank '));
  const contexts = { inputs: given, steps: {} };
  const uses = [];
  let summary = '';
  let stdout = '';
  let code = 0;
  for (const [number, step] of action.runs.steps.entries()) {
    if (step.if !== undefined && expand(step.if, contexts) !== 'true') continue;
    if (step.uses) {
      uses.push({ uses: step.uses, with: Object.fromEntries(Object.entries(step.with).map(([k, v]) => [k, expand(v, contexts)])) });
      continue;
    }
    if (step.shell !== 'bash') throw new Error(`step ${number}: a composite step needs its shell`);
    if (/\$\{\{/.test(step.run)) throw new Error(`step ${number}: inputs become code in \`run\`: ${step.run}`);
    const file = (name) => join(work, `${name}_${number}`);
    for (const name of ['output', 'summary']) writeFileSync(file(name), '');
    writeFileSync(file('script'), step.run);
    const values = Object.entries(step.env ?? {}).map(([name, value]) => [name, expand(value, contexts)]);
    const done = await bash(file('script'), {
      cwd: work,
      stdio: ['ignore', 'pipe', 'pipe'],
      started,
      env: {
        PATH: process.env.PATH, HOME: process.env.HOME, GITHUB_ACTIONS: 'true', GITHUB_ACTION_PATH: path,
        GITHUB_RUN_ID: '4711', GITHUB_WORKSPACE: work, RUNNER_TEMP: work, GITHUB_OUTPUT: file('output'),
        GITHUB_STEP_SUMMARY: file('summary'), ...env, ...Object.fromEntries(values),
      },
    });
    stdout += done.stdout;
    summary += readFileSync(file('summary'), 'utf8');
    if (step.id) contexts.steps[step.id] = { outputs: readOutputs(file('output')) };
    code = done.code;
    if (code !== 0) break;
  }
  const outputs = {};
  for (const [name, output] of Object.entries(action.outputs)) outputs[name] = expand(output.value, contexts);
  return { code, outputs, commands: readCommands(stdout), summary, stdout, uses, work };
}
