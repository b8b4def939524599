// node bill_of_materials.mjs VERSION HOMEPAGE ARCH LIBRARIES INSTALLED [STATUS]: prints the components of a
// release's packages in SPDX 2.3: the loaded libraries (LIBRARIES: lines "soname path package"), the compiled-in ones, the
// npm packages of the browser interface, and, with the dpkg STATUS of the image's root, Debian's packages there. INSTALLED lists
// this machine's packages: "status<tab>package<tab>version<tab>source".
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const [version, homepage, arch, libraries, installed, status] = process.argv.slice(2);
const lines = (path) => readFileSync(path, 'utf8').split('\n').filter((line) => line !== '');

const versions = new Map(lines(installed).map((line) => line.split('\t')).map(([, name, is]) => [name, is]));
const packages = new Map();
const relations = [];
const none = 'NOASSERTION';

function add(id, name, is, url, more = {}) {
  const key = `SPDXRef-${id.replace(/[^A-Za-z0-9.-]/g, '-')}`;
  packages.set(key, {
    SPDXID: key, name, versionInfo: is, downloadLocation: none, filesAnalyzed: false, licenseConcluded: none,
    licenseDeclared: none, copyrightText: none,
    externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: url }], ...more,
  });
  return key;
}
function debian(name, is) {
  return add(`deb-${name}`, name, is, `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(is)}?arch=${arch}&distro=debian-12`,
    { supplier: 'Organization: Debian' });
}
function relate(from, type, to) {
  relations.push({ spdxElementId: from, relationshipType: type, relatedSpdxElement: to });
}

const product = add('openseat', 'openseat', version, `pkg:github/${new URL(homepage).pathname.slice(1)}@v${version}`,
  { downloadLocation: `${homepage}/releases/tag/v${version}`, licenseDeclared: 'MIT', supplier: 'Organization: The Openseat authors' });
relate('SPDXRef-DOCUMENT', 'DESCRIBES', product);

const loaded = new Set(lines(libraries).map((line) => line.split(' ')[2]));
for (const name of [...loaded].sort()) relate(product, 'DYNAMIC_LINK', debian(name, versions.get(name)));

// Packages whose headers or archives are compiled in: the -dev packages that the build needs.
const wanted = lines('scripts/packages.txt').map((line) => line.split(/\s+/)).filter(([group, name]) => group === 'base' && name.endsWith('-dev'));
for (const [, name] of wanted) {
  if (/gtest|gmock|rapidcheck/.test(name) || !versions.has(name)) continue;
  relate(debian(name, versions.get(name)), 'BUILD_DEPENDENCY_OF', product);
}

// From npm, the pages include Svelte's runtime, the checker the words of @faker-js/faker, and game
// scripts run in quickjs-wasi; the rest are build tools.
const shipped = new Set(['svelte', '@faker-js/faker', 'quickjs-wasi', '@babel/parser']);
const locks = ['web', 'src/checker/words', 'src/games/script/engine'].map((folder) => JSON.parse(readFileSync(`${folder}/package-lock.json`, 'utf8')).packages);
for (const [path, { version: is, license, integrity }] of locks.flatMap((lock) => Object.entries(lock))) {
  const name = path.split('node_modules/').pop();
  if (path === '' || is === undefined) continue;
  const sum = integrity?.startsWith('sha512-') && Buffer.from(integrity.slice(7), 'base64').toString('hex');
  const key = add(`npm-${name}-${is}`, name, is, `pkg:npm/${name.replace('@', '%40')}@${is}`, {
    licenseDeclared: license ?? none,
    ...(sum && { checksums: [{ algorithm: 'SHA512', checksumValue: sum }] }),
  });
  if (shipped.has(name)) relate(product, 'STATIC_LINK', key);
  else relate(key, 'BUILD_TOOL_OF', product);
}

if (status) {
  const image = add('image', 'openseat container image', version, `pkg:oci/openseat@${version}`);
  relate('SPDXRef-DOCUMENT', 'DESCRIBES', image);
  relate(image, 'CONTAINS', product);
  for (const stanza of readFileSync(status, 'utf8').split('\n\n')) {
    const field = (name) => new RegExp(`^${name}: (.*)$`, 'm').exec(stanza)?.[1];
    if (field('Status') === 'install ok installed') relate(image, 'CONTAINS', debian(field('Package'), field('Version')));
  }
}

const document = {
  spdxVersion: 'SPDX-2.3',
  dataLicense: 'CC0-1.0',
  SPDXID: 'SPDXRef-DOCUMENT',
  name: `openseat-${version}`,
  creationInfo: {
    created: new Date(Number(process.env.SOURCE_DATE_EPOCH) * 1000).toISOString().replace(/\.\d+Z/, 'Z'),
    creators: ['Tool: openseat scripts/bill_of_materials.mjs', 'Organization: The Openseat authors'],
  },
  packages: [...packages.values()],
  relationships: relations,
};
const digest = createHash('sha256').update(JSON.stringify(document)).digest('hex');
console.log(JSON.stringify({ ...document, documentNamespace: `${homepage}/spdx/${version}-${digest.slice(0, 32)}` }, null, 1));
