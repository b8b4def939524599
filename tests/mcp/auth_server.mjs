// A small OAuth authorization server on a free loopback port, which it prints: metadata (RFC 8414), keys, tokens for
// client credentials, introspection (RFC 7662), and POST /mint, which signs any claims that a test wants.
import { createServer } from 'node:http';
import { createPrivateKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto';

const kid = 'test-key';
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const opaque = new Map(); // tokens that are not JWTs, and what is known about them
const base64url = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

function jwt(claims, { key = privateKey, header = {} } = {}) {
  const text = `${base64url({ alg: 'ES256', typ: 'at+jwt', kid, ...header })}.${base64url(claims)}`;
  const signature = sign('sha256', Buffer.from(text), { key: createPrivateKey(key.export({ type: 'pkcs8', format: 'pem' })), dsaEncoding: 'ieee-p1363' });
  return `${text}.${header.alg === 'none' ? '' : signature.toString('base64url')}`;
}

const usual = (issuer, resource) => ({
  iss: issuer, sub: 'ana', aud: resource, scope: 'play', exp: Math.floor(Date.now() / 1000) + 600, jti: randomUUID(),
});

const server = createServer(async (request, response) => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  let body = '';
  for await (const piece of request) body += piece;
  const answer = (status, value) => {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(value));
  };
  const basic = Buffer.from((request.headers.authorization ?? '').replace(/^Basic /, ''), 'base64').toString();
  switch (`${request.method} ${request.url}`) {
    case 'GET /.well-known/oauth-authorization-server':
      return answer(200, {
        issuer,
        jwks_uri: `${issuer}/keys`,
        token_endpoint: `${issuer}/token`,
        authorization_endpoint: `${issuer}/authorize`,
        introspection_endpoint: `${issuer}/introspect`,
        response_types_supported: ['code'],
        grant_types_supported: ['client_credentials'],
        token_endpoint_auth_methods_supported: ['client_secret_basic'],
        code_challenge_methods_supported: ['S256'],
      });
    case 'GET /keys':
      return answer(200, { keys: [{ ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' }] });
    case 'POST /token': {
      const form = new URLSearchParams(body);
      if (basic !== 'host:hush') return answer(401, { error: 'invalid_client' });
      const claims = { ...usual(issuer, form.get('resource')), sub: 'host', scope: form.get('scope') ?? 'play' };
      return answer(200, { access_token: jwt(claims), token_type: 'Bearer', expires_in: 600, scope: claims.scope });
    }
    case 'POST /mint': { // {resource, claims, header, by: "stranger", opaque}
      const wanted = JSON.parse(body);
      const claims = { ...usual(issuer, wanted.resource), ...wanted.claims };
      for (const name of Object.keys(claims)) if (claims[name] === null) delete claims[name];
      if (wanted.opaque) {
        const token = randomUUID();
        opaque.set(token, claims);
        return answer(200, { token });
      }
      return answer(200, { token: jwt(claims, { key: wanted.by === 'stranger' ? stranger : privateKey, header: wanted.header }) });
    }
    case 'POST /introspect': {
      if (basic !== 'openseat:hush') return answer(401, { error: 'invalid_client' });
      const known = opaque.get(new URLSearchParams(body).get('token'));
      return answer(200, known ? { active: true, ...known } : { active: false });
    }
    default:
      return answer(404, { error: 'not here' });
  }
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
