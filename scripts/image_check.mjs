// node image_check.mjs LAYOUT ROOT: checks an unpacked image against its own digests, unpacks its layers into ROOT, and prints
// its configuration: "Env NAME=VALUE", "Run COMMAND", "Health COMMAND".
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const [layout, root] = process.argv.slice(2);
const json = (name) => JSON.parse(readFileSync(join(layout, name), 'utf8'));
const sha256 = (bytes) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
function blob({ digest, size }) {
  const bytes = readFileSync(join(layout, 'blobs', digest.replace(':', '/')));
  assert.equal(sha256(bytes), digest);
  assert.equal(bytes.length, size);
  return bytes;
}

assert.equal(json('oci-layout').imageLayoutVersion, '1.0.0');
const [entry] = json('index.json').manifests;
const manifest = JSON.parse(blob(entry));
const { architecture, os, config, rootfs } = JSON.parse(blob(manifest.config));
assert.deepEqual({ architecture, os }, entry.platform);
assert.equal(rootfs.diff_ids.length, manifest.layers.length);
for (const [at, layer] of manifest.layers.entries()) {
  const tar = gunzipSync(blob(layer));
  assert.equal(sha256(tar), rootfs.diff_ids[at]);
  execFileSync('tar', ['-C', root, '--numeric-owner', '-xpf', '-'], { input: tar });
}
// `docker load` must read the same.
const [{ Config, Layers }] = json('manifest.json');
assert.equal(Config, `blobs/${manifest.config.digest.replace(':', '/')}`);
assert.deepEqual(Layers, manifest.layers.map(({ digest }) => `blobs/${digest.replace(':', '/')}`));

assert.match(config.User, /^[1-9]\d*:[1-9]\d*$/, 'not root');
assert.ok(config.ExposedPorts['8000/tcp'] && config.Volumes['/var/lib/openseat']);
for (const each of config.Env) console.log(`Env ${each}`);
console.log(`Run ${[...config.Entrypoint, ...config.Cmd].join(' ')}`);
assert.equal(config.Healthcheck.Test[0], 'CMD');
console.log(`Health ${config.Healthcheck.Test.slice(1).join(' ')}`);
