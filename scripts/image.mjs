// node image.mjs ROOT.tar IMAGE.tar VERSION HOMEPAGE ARCH: packs a root file system as a container image with one layer. The
// archive is an OCI image layout, and also has the manifest.json that `docker load` reads.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const [root, image, version, homepage, architecture] = process.argv.slice(2);
const made = new Date(Number(process.env.SOURCE_DATE_EPOCH) * 1000).toISOString();

async function sha256(path) {
  const hash = createHash('sha256');
  for await (const part of createReadStream(path)) hash.update(part);
  return hash.digest('hex');
}

const folder = mkdtempSync(join(dirname(image), '.image-'));
const blobs = join(folder, 'blobs/sha256');
mkdirSync(blobs, { recursive: true });
function blob(content) {
  const text = JSON.stringify(content);
  const digest = createHash('sha256').update(text).digest('hex');
  writeFileSync(join(blobs, digest), text);
  return { digest: `sha256:${digest}`, size: Buffer.byteLength(text) };
}

const diff = await sha256(root);
execFileSync('gzip', ['-9nkf', root]);
const layer = await sha256(`${root}.gz`);
renameSync(`${root}.gz`, join(blobs, layer));

const config = blob({
  created: made,
  architecture,
  os: 'linux',
  config: {
    User: '10001:10001',
    ExposedPorts: { '8000/tcp': {}, '14200/tcp': {} },
    Env: [
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      'HOME=/var/lib/openseat',
      'OPENSEAT_DATA_DIR=/var/lib/openseat',
      // To the server, clients of the container are on another machine and need a token; a proxy provides TLS.
      'OPENSEAT_LISTEN=0.0.0.0:8000',
      'OPENSEAT_CHIMERA_LISTEN=0.0.0.0:14200',
      'OPENSEAT_INSECURE=true',
    ],
    Entrypoint: ['/usr/bin/openseat'],
    Cmd: ['serve'],
    Volumes: { '/var/lib/openseat': {} },
    WorkingDir: '/var/lib/openseat',
    Healthcheck: { Test: ['CMD', '/usr/lib/openseat/health'], Interval: 30e9, Timeout: 6e9, StartPeriod: 10e9, Retries: 3 },
    StopSignal: 'SIGTERM',
    Labels: {
      'org.opencontainers.image.title': 'openseat',
      'org.opencontainers.image.description': 'Gives any agent a seat at any game',
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.source': homepage,
      'org.opencontainers.image.licenses': 'MIT',
      'io.modelcontextprotocol.server.name': 'io.github.openseat/openseat', // as in packaging/mcp/server.json
    },
  },
  rootfs: { type: 'layers', diff_ids: [`sha256:${diff}`] },
  history: [{ created: made, created_by: 'scripts/image.mjs' }],
});
const manifest = blob({
  schemaVersion: 2,
  mediaType: 'application/vnd.oci.image.manifest.v1+json',
  config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...config },
  layers: [
    { mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', digest: `sha256:${layer}`, size: statSync(join(blobs, layer)).size },
  ],
});
function write(name, content) {
  writeFileSync(join(folder, name), JSON.stringify(content));
}
write('oci-layout', { imageLayoutVersion: '1.0.0' });
write('index.json', {
  schemaVersion: 2,
  mediaType: 'application/vnd.oci.image.index.v1+json',
  manifests: [
    {
      mediaType: 'application/vnd.oci.image.manifest.v1+json', ...manifest, platform: { architecture, os: 'linux' },
      annotations: { 'org.opencontainers.image.ref.name': version },
    },
  ],
});
const path = (digest) => `blobs/sha256/${digest.replace('sha256:', '')}`;
write('manifest.json', [{ Config: path(config.digest), RepoTags: [`openseat:${version}`, 'openseat:latest'], Layers: [path(layer)] }]);

execFileSync('tar', [
  '-C', folder, '--sort=name', `--mtime=@${process.env.SOURCE_DATE_EPOCH}`, '--owner=0', '--group=0', '--numeric-owner', '-cf', image,
  'oci-layout', 'index.json', 'manifest.json', 'blobs',
]);
rmSync(folder, { recursive: true });
console.log(`${image}: ${(statSync(root).size / 1e6).toFixed(0)} MB unpacked, ${(statSync(image).size / 1e6).toFixed(0)} MB packed`);
