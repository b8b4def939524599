// The types of TypeScript, taken out before the engine reads a script: blanks take their place, so that every line and
// column stays what it was. Babel's parser (npm `@babel/parser`) says where they are. This runs in a box like a script, in
// place of the harness (docs/scripts.md); the build makes one file of it (make_types.sh).
import { parse } from '@babel/parser';

// Nodes that are types from end to end.
const types = new Set(['TSTypeAnnotation', 'TSTypeParameterDeclaration', 'TSTypeParameterInstantiation']);
const statements = new Set(['TSTypeAliasDeclaration', 'TSInterfaceDeclaration', 'TSDeclareFunction']);
const members = new Set(['TSDeclareMethod', 'TSIndexSignature']);
const refused = {
  TSEnumDeclaration: 'an enum is not supported in game scripts: use a union of texts, or an object',
  TSModuleDeclaration: 'a namespace is not supported in game scripts: use files and imports',
  TSParameterProperty: 'a parameter that is also a field is not supported in game scripts: assign it in the constructor',
  TSImportEqualsDeclaration: 'import = is not supported in game scripts: use import { … } from',
  TSExportAssignment: 'export = is not supported in game scripts: use export',
  Decorator: 'decorators are not supported in game scripts',
};
// Words before a class or a member.
const words = ['declare', 'abstract', 'public', 'private', 'protected', 'readonly', 'override'];

function strip(text) {
  const file = parse(text, { sourceType: 'module', plugins: ['typescript'], attachComment: false, createParenthesizedExpressions: true });
  const out = text.split('');
  const blank = (from, to) => {
    for (let i = from; i < to; ++i) if (text[i] !== '\n' && text[i] !== '\r') out[i] = ' ';
  };
  // What stands before must not go on in the next line.
  const blankStatement = (node) => {
    blank(node.start, node.end);
    out[node.start] = ';';
  };
  // `from` is a place between tokens; comments may follow.
  const skip = (from) => {
    for (;;) {
      const found = /^(?:\s|\/\/.*|\/\*[^]*?\*\/)+/.exec(text.slice(from));
      if (!found) return from;
      from += found[0].length;
    }
  };
  const blankMark = (mark, from) => {
    const at = skip(from);
    if (text[at] === mark) blank(at, at + 1);
  };
  const blankWords = (node) => {
    let at = node.start;
    for (;;) {
      const word = /^(?:[a-z]+)/.exec(text.slice(at))?.[0];
      if (word === 'static' || word === 'async') at = skip(at + word.length);
      else if (words.includes(word) && at < (node.key ?? node.id ?? node.body).start) {
        blank(at, at + word.length);
        at = skip(at + word.length);
      } else return;
    }
  };
  // Blanks the specifiers that are types, each with the comma after it.
  const blankSpecifiers = (list) => {
    for (const each of list) {
      if (each.importKind !== 'type' && each.exportKind !== 'type') continue;
      blank(each.start, each.end);
      blankMark(',', each.end);
    }
  };

  function visit(node, parent) {
    if (Object.hasOwn(refused, node.type) && !node.declare) {
      throw Object.assign(new SyntaxError(refused[node.type]), { pos: node.start });
    }
    switch (node.type) {
      case 'ImportDeclaration':
        if (node.importKind === 'type') return blankStatement(node);
        return blankSpecifiers(node.specifiers);
      case 'ExportAllDeclaration':
        if (node.exportKind === 'type') return blankStatement(node);
        break;
      case 'ExportNamedDeclaration':
        if (node.exportKind === 'type' || node.declaration?.declare || statements.has(node.declaration?.type)) return blankStatement(node);
        blankSpecifiers(node.specifiers);
        break;
      case 'ExportDefaultDeclaration':
        if (statements.has(node.declaration.type)) return blankStatement(node);
        break;
      case 'TSAsExpression': case 'TSSatisfiesExpression': case 'TSInstantiationExpression':
        visit(node.expression, node);
        return blank(node.expression.end, node.end);
      case 'TSNonNullExpression':
        visit(node.expression, node);
        return blank(node.end - 1, node.end);
      case 'TSTypeAssertion':
        blank(node.start, node.expression.start);
        return visit(node.expression, node);
      case 'ClassDeclaration': case 'ClassExpression':
        if (node.declare) return blankStatement(node);
        if (node.abstract) blankWords(node);
        if (node.implements?.length > 0) {
          const first = node.implements[0].start;
          blank(text.lastIndexOf('implements', first), node.implements.at(-1).end);
        }
        break;
      case 'ClassProperty': case 'ClassPrivateProperty': case 'ClassAccessorProperty':
        if (node.declare || node.abstract) return blankStatement(node);
        blankWords(node);
        if (node.optional) blankMark('?', keyEnd(node));
        if (node.definite) blankMark('!', keyEnd(node));
        break;
      case 'ClassMethod': case 'ClassPrivateMethod':
        if (node.abstract) return blankStatement(node);
        blankWords(node);
        if (node.optional) blankMark('?', keyEnd(node));
        break;
      case 'VariableDeclaration':
        if (node.declare) return blankStatement(node);
        break;
      case 'VariableDeclarator':
        if (node.definite) blankMark('!', node.id.start + node.id.name.length);
        break;
      case 'Identifier': case 'ObjectPattern': case 'ArrayPattern':
        if (node.optional) {
          const mark = text.lastIndexOf('?', node.typeAnnotation?.start ?? node.end);
          if (mark >= node.start) blank(mark, mark + 1);
        }
        break;
      default:
    }
    if (statements.has(node.type) || members.has(node.type)) return blankStatement(node);
    if (node.type === 'TSTypeAnnotation' && parent.type === 'ArrowFunctionExpression' &&
      text.slice(node.start, skip(node.end)).includes('\n')) {
      // An arrow stays on the line of its parenthesis.
      const open = text.lastIndexOf(')', node.start);
      blank(open, open + 1);
      blank(node.start, node.end);
      out[node.end - 1] = ')';
      return undefined;
    }
    if (types.has(node.type)) return blank(node.start, node.end);
    if (Array.isArray(node.params) && node.params[0]?.name === 'this') {
      blank(node.params[0].start, node.params[0].end);
      blankMark(',', node.params[0].end);
    }
    for (const key in node) {
      const child = node[key];
      if (key === 'extra' || key === 'loc' || child === null || typeof child !== 'object') continue;
      if (Array.isArray(child)) {
        for (const each of child) if (typeof each?.type === 'string') visit(each, node);
      } else if (typeof child.type === 'string') {
        visit(child, node);
      }
    }
    return undefined;
  }
  const keyEnd = (node) => node.computed ? text.indexOf(']', node.key.end) + 1 : node.key.end;
  visit(file.program, file);
  return out.join('');
}

export default {
  load: () => '{}',
  call: (operation, input) => {
    try {
      return JSON.stringify({ text: strip(JSON.parse(input).text) });
    } catch (error) {
      if (typeof error.pos !== 'number') throw error;
      return JSON.stringify({ message: error.message.replace(/ \(\d+:\d+\)$/, ''), at: error.pos });
    }
  },
  text: (error) => JSON.stringify({ hook: 'load', message: String(error?.message ?? ''), stack: '' }),
};
