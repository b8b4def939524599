// Signing in with an OpenID Connect provider, a stand-in: games are one's own on every device.
import { createHash, createSign, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { tests } from './fixtures';
import { startOpenseat, type Openseat } from './harness';

interface Provider {
  url: string;
  subject: string; // who signs in next
  close: () => Promise<void>;
}

// Lets everybody in at once, as `subject`; checks what a provider checks.
async function startProvider(): Promise<Provider> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const codes = new Map<string, { nonce: string; challenge: string; redirect: string }>();
  const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const provider: Provider = { url: '', subject: 'ana', close: () => new Promise((done) => void server.close(() => done())) };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', provider.url);
    const json = (value: unknown, status = 200) => response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
    if (url.pathname === '/.well-known/openid-configuration') {
      json({ issuer: provider.url, authorization_endpoint: `${provider.url}/authorize`, token_endpoint: `${provider.url}/token`, jwks_uri: `${provider.url}/keys` });
    } else if (url.pathname === '/keys') {
      json({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }] });
    } else if (url.pathname === '/authorize') {
      const of = (name: string) => url.searchParams.get(name) ?? '';
      const code = `code-${codes.size}`;
      codes.set(code, { nonce: of('nonce'), challenge: of('code_challenge'), redirect: of('redirect_uri') });
      response.writeHead(302, { Location: `${of('redirect_uri')}?code=${code}&state=${of('state')}` }).end();
    } else if (url.pathname === '/token') {
      let body = '';
      request.on('data', (bytes: Buffer) => (body += bytes.toString()));
      request.on('end', () => {
        const form = new URLSearchParams(body);
        const code = codes.get(form.get('code') ?? '');
        codes.delete(form.get('code') ?? '');
        const challenge = createHash('sha256').update(form.get('code_verifier') ?? '').digest('base64url');
        const right = request.headers.authorization === `Basic ${Buffer.from('openseat:s3cret').toString('base64')}`;
        if (!code || challenge !== code.challenge || !right) return json({ error: 'invalid_grant' }, 400);
        const now = Math.floor(Date.now() / 1000);
        const claims = { iss: provider.url, sub: provider.subject, aud: 'openseat', exp: now + 300, iat: now, nonce: code.nonce, name: `${provider.subject} of the provider` };
        const signed = `${base64({ alg: 'RS256', kid: 'one' })}.${base64(claims)}`;
        json({ access_token: 'x', token_type: 'Bearer', id_token: `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey).toString('base64url')}` });
      });
    } else {
      json({}, 404);
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return provider;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

let provider: Provider;

async function start(): Promise<Openseat> {
  provider = await startProvider();
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'openseat-sign-in-'));
  const file = join(folder, 'openseat.toml');
  writeFileSync(
    file,
    `[sign_in]\nissuer = "${provider.url}"\nclient_id = "openseat"\nclient_secret = "s3cret"\npublic_url = "http://127.0.0.1:${port}"\nname = "Example"\n[access]\ngames = "token"\n`,
  );
  const server = await startOpenseat(['--config', file], `127.0.0.1:${port}`);
  const { close } = server;
  server.close = async () => {
    await close();
    await provider.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return server;
}

const it = tests({ start });

it('a game begun on one device goes on on another, for the same person only', async ({ visitor, server, visit }) => {
  // Going to the provider and back is not a request of the page's own.
  const signIn = async ({ page, troubles }: typeof visitor, as: string) => {
    provider.subject = as;
    await page.getByRole('link', { name: 'Sign in with Example' }).click();
    await page.getByText(`Signed in as ${as} of the provider.`).waitFor();
    expect(troubles.splice(0)).toEqual([`a request to ${new URL(provider.url).host}`]);
  };
  await signIn(visitor, 'ana');
  const { page } = visitor;
  await page.getByRole('button', { name: 'Play Tic-Tac-Toe against a bot' }).click();
  await page.getByText('Your turn').waitFor();
  await page.getByRole('button', { name: 'Row 2, column 2: free' }).click();
  await page.getByRole('button', { name: /: O$/ }).waitFor();
  const cookies = (await visitor.context.cookies()).filter((each) => each.name === 'openseat_person');
  expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Lax' }]);
  await page.close();

  await server.stop('SIGKILL');
  await server.again();
  const phone = await visit(server.url);
  await signIn(phone, 'ana');
  await phone.page.getByRole('button', { name: /^Resume Tic-Tac-Toe/ }).click();
  await phone.page.getByRole('button', { name: 'Row 2, column 2: X' }).waitFor();
  await phone.page.getByText('Your turn').waitFor();
  await phone.page.getByRole('button', { name: /: free$/ }).first().click();
  await expect.poll(() => phone.page.getByRole('button', { name: /: X$/ }).count()).toBe(2);

  const eve = await visit(server.url);
  await signIn(eve, 'eve');
  await eve.page.getByText('Running now').waitFor();
  expect(await eve.page.getByRole('heading', { name: 'Your games' }).count()).toBe(0);
  await eve.page.getByRole('button', { name: 'Sign out' }).click();
  await eve.page.getByRole('link', { name: 'Sign in with Example' }).waitFor();
});

it('an attempt that another browser began is refused', async ({ server }) => {
  const login = await fetch(`${server.url}/auth/login`, { redirect: 'manual' });
  expect(login.status).toBe(302);
  const back = await fetch(login.headers.get('location') ?? '', { redirect: 'manual' });
  const callback = back.headers.get('location') ?? '';
  const stolen = await fetch(callback, { redirect: 'manual' });
  expect(stolen.status).toBe(403);
  const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const own = await fetch(callback, { redirect: 'manual', headers: { Cookie: cookie } });
  expect([own.status, own.headers.get('location')]).toEqual([302, '/#/']);
  expect(own.headers.get('set-cookie')).toMatch(/openseat_person=.*HttpOnly; SameSite=Lax/);
  const again = await fetch(callback, { redirect: 'manual', headers: { Cookie: cookie } });
  expect(again.status).toBe(403);
});
