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
// How strongly operators bind. TypeScript reads `a + b as number * 2` as `((a + b) as number) * 2`; without the type, it would be something else.
const strength = Object.fromEntries([['**'], ['*', '/', '%'], ['+', '-'], ['<<', '>>', '>>>'], ['<', '<=', '>', '>=', 'in', 'instanceof'],
  ['==', '!=', '===', '!=='], ['&'], ['^'], ['|'], ['&&'], ['||', '??']].flatMap((list, at) => list.map((operator) => [operator, -at])));
// Whether the outer operator would take a part of what stands before it, without its type. `a ** b ** c` is `a ** (b ** c)`.
const takesPart = (outer, inner) => strength[outer] > strength[inner] || (outer === '**' && inner === '**');
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
        // The member before may have no semicolon: `a = 1`, `public [b] = 2`.
        if (at === node.start && node.key) out[at] = ';';
        at = skip(at + word.length);
      } else return;
    }
  };
  const refuse = (message, node) => {
    throw Object.assign(new SyntaxError(message), { pos: node.start, unsupported: true });
  };
  const untyped = (node) => (node.type === 'TSAsExpression' || node.type === 'TSSatisfiesExpression' ? untyped(node.expression) : node);
  const hasBreak = (from, to) => /[\n\r\u2028\u2029]/.test(text.slice(from, to));
  // Blanks what follows an expression up to `to`. Where the type's end was the statement's, a bracket in the next line would continue it.
  const blankRest = (from, to) => {
    blank(from, to);
    const next = skip(to);
    if ('([`'.includes(text[next] ?? ' ') && hasBreak(to, next)) out[to - 1] = ';';
  };
  // The parenthesis that ends an arrow function's parameters.
  const parameterEnd = (arrow) => {
    let at = arrow.params.at(-1)?.end ?? skip(text.indexOf('(', arrow.typeParameters?.end ?? arrow.start) + 1);
    for (at = skip(at); text[at] === ','; ) at = skip(at + 1);
    return at;
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
    if (Object.hasOwn(refused, node.type)) {
      if (node.declare) return blankStatement(node);
      refuse(refused[node.type], node);
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
      case 'TSAsExpression': case 'TSSatisfiesExpression':
        if (parent.left === node && takesPart(parent.operator, untyped(node).operator)) {
          refuse(`put what has a type in parentheses: without the type, ${parent.operator} would take only a part of it`, node);
        }
        visit(node.expression, node);
        return blankRest(node.expression.end, node.end);
      case 'TSInstantiationExpression':
        visit(node.expression, node);
        return blank(node.expression.end, node.end);
      case 'TSNonNullExpression':
        visit(node.expression, node);
        return blank(node.end - 1, node.end);
      case 'TSTypeAssertion':
        // `return`, then a line break, would return nothing.
        if (hasBreak(node.start, node.expression.start)) refuse('a type in angle brackets must be in the line of its value: write `value as Type`', node);
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
        // A field called get or static, without a type, would be a word before the next member.
        if (node.typeAnnotation && !node.value) {
          blank(node.typeAnnotation.start, node.typeAnnotation.end);
          out[node.typeAnnotation.end - 1] = ';';
          node.typeAnnotation = null;
        }
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
          // Before the mark and after it, there may be comments.
          const at = node.type === 'Identifier' ? node.start + /^[^\s?:/]*/.exec(text.slice(node.start))[0].length : text.lastIndexOf('?', node.typeAnnotation?.start ?? node.end);
          blankMark('?', at);
        }
        break;
      default:
    }
    if (statements.has(node.type) || members.has(node.type)) return blankStatement(node);
    if (parent.type === 'ArrowFunctionExpression' && node.type === 'TSTypeAnnotation') {
      // An arrow stays on the line of its parenthesis.
      const end = parameterEnd(parent);
      blank(node.start, node.end);
      if (hasBreak(end, node.end)) {
        out[end] = ' ';
        out[node.end - 1] = ')';
      }
      return undefined;
    }
    if (parent.type === 'ArrowFunctionExpression' && node.type === 'TSTypeParameterDeclaration') {
      // The parameters stay on the line of what stands before: async, or return.
      const begin = skip(node.end);
      blank(node.start, node.end);
      if (hasBreak(node.start, begin)) {
        out[begin] = ' ';
        out[node.start] = '(';
      }
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
      const message = error.message.replace(/ \(\d+:\d+\)$/, '');
      return JSON.stringify({ message: error.unsupported ? message : `this is not TypeScript: ${message}`, at: error.pos });
    }
  },
  text: (error) => JSON.stringify({ hook: 'load', message: String(error?.message ?? ''), stack: '' }),
};
