// api_types.mjs: writes src/lib/api/openapi.d.ts, the types of the server's REST API, from openapi.json. `npm run types`
// runs it, and everything that needs the types (`npm run check`, `npm run dev`, the test "web: types") runs that first; the
// pages build without it. A schema that allows any value becomes Json, one that allows any object JsonObject.
import { readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const at = (path) => new URL(`../${path}`, import.meta.url);
const target = at('src/lib/api/openapi.d.ts');
const named = (name) => ts.factory.createTypeReferenceNode(name);
const says = (schema, ...members) => members.some((member) => member in schema);

const nodes = await openapiTS(at('openapi.json'), {
  inject: "import type { Json, JsonObject } from './json';\n",
  defaultNonNullable: false,
  transform(schema) {
    if (says(schema, '$ref', 'enum', 'const', 'anyOf', 'oneOf', 'allOf')) return undefined;
    if (!('type' in schema) && !('properties' in schema)) return named('Json');
    if (schema.type === 'object' && !says(schema, 'properties', 'additionalProperties')) return named('JsonObject');
    return undefined;
  },
});
const text = `// Made from openapi.json by build_tools/api_types.mjs.\n${astToString(nodes)}`;

// Written only when it changes, to avoid needless recompilation.
let before = '';
try {
  before = readFileSync(target, 'utf8');
} catch {
  // It does not exist yet.
}
if (text !== before) writeFileSync(target, text);
