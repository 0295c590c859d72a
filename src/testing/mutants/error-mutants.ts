import { hasKey, isAny, isServed, KEY, withBody, withKey } from './defects.ts'
import type { Mutant } from './mutant.ts'
import {
  changeRequest,
  changeResponse,
  changeStatus,
  isCreate,
  isRead,
  withHeaders,
  withJson,
  withStatus,
} from './mutation.ts'

/** Defects of authentication and of error responses. */
export const ERROR_MUTANTS: readonly Mutant[] = [
  [
    'a list is returned without a key',
    'listPets/no-key',
    changeRequest((one) => !hasKey(one), withKey),
  ],
  [
    'a record is read without a key',
    'getPet/no-key',
    changeRequest((one) => isRead(one) && !hasKey(one), withKey),
  ],
  [
    'a record is created without a key',
    'createPet/no-key',
    changeRequest(
      (one) => isCreate(one) && !hasKey(one),
      (one, body) => withBody(withKey(one), body),
    ),
  ],
  [
    'an invalid key is accepted',
    'listPets/wrong-key',
    changeRequest((one) => one.headers.get('Authorization') === `Bearer ${KEY}x`, withKey),
  ],
  [
    'another authentication scheme is accepted',
    'listPets/wrong-scheme',
    changeRequest((one) => /^Basic/.test(one.headers.get('Authorization') ?? ''), withKey),
  ],
  [
    'a key without its scheme is accepted',
    'listPets/no-scheme',
    changeRequest((one) => one.headers.get('Authorization') === KEY, withKey),
  ],
  ['a request without a key gets a 403', 'listPets/no-key', changeStatus(401, 403)],
  [
    'a 401 has no challenge',
    'listPets/401/WWW-Authenticate',
    changeResponse(isAny, (one) => withHeaders(one, { 'WWW-Authenticate': undefined })),
  ],
  [
    'a 401 has another challenge',
    'getPet/401/WWW-Authenticate',
    changeResponse(
      (_, { status }) => status === 401,
      (one) => withHeaders(one, { 'WWW-Authenticate': 'Basic realm="x"' }),
    ),
  ],
  [
    'a 401 has no body',
    'listPets/401/body',
    changeResponse(
      (_, { status }) => status === 401,
      ({ headers }) => new Response('', { status: 401, headers }),
    ),
  ],
  [
    'a 404 has an HTML body',
    'getPet/404/body',
    changeResponse(
      (_, { status }) => status === 404,
      ({ headers }) => new Response('<h1>Not found</h1>', { status: 404, headers }),
    ),
  ],
  [
    'an error has no code',
    'createPet/400/body',
    changeResponse(
      (_, { ok }) => !ok,
      (one) => withJson(one, ({ code: _, ...body }) => body),
    ),
  ],
  [
    'an error has another status in the body',
    'createPet/400/status',
    changeResponse(
      (_, { ok }) => !ok,
      (one) => withJson(one, (body) => ({ ...body, status: 500 })),
    ),
  ],
  [
    'an error has the media type text/plain',
    'getPet/404/type',
    changeResponse(
      (_, { ok }) => !ok,
      (one) => withHeaders(one, { 'Content-Type': 'text/plain' }),
    ),
  ],
  [
    'a list has the media type text/html',
    'listPets/200/type',
    changeResponse(isServed, (one) => withHeaders(one, { 'Content-Type': 'text/html' })),
  ],
  [
    'an invalid id gets a 500',
    'errors/server',
    changeResponse(
      (one) => one.url.endsWith('/pets/abc'),
      (one) => withStatus(one, 500),
    ),
  ],
  [
    'an unknown path gets a 200',
    'unknown-path',
    changeResponse(
      (one) => one.url.includes('no-such'),
      (one) => withStatus(one, 200),
    ),
  ],
  ['an undefined method gets a 404', 'wrong-method/PROPFIND /pets', changeStatus(405, 404)],
  [
    'a 405 has no Allow header',
    'wrong-method/PROPFIND /pets/allow',
    changeResponse(isAny, (one) => withHeaders(one, { Allow: undefined })),
  ],
]
