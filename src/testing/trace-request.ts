import type { TraceRequest } from './replay.ts'
import type { SeededRandom } from './seeded-random.ts'

const KEYS = [
  'sk_sandbox_free',
  ...Array<string>(9).fill('sk_sandbox_free'),
  'sk_sandbox_pro',
  'sk_sandbox_enterprise',
  'sk_sandbox_rate_limited',
  'sk_sandbox_day_exhausted',
  'sk_sandbox_banned',
  'sk_wrong',
] as const

const PREFERENCES = [
  'code=400',
  'code=401',
  'code=404',
  'code=429, retry-after=1',
  'code=500',
  'code=418',
  'outcome=banned',
  'outcome=removed',
  'outcome=reset',
  'outcome=malformed',
  'outcome=unavailable, retry-after=2',
  'code=503',
  'outcome=lost',
  'respond-async',
] as const

const QUERIES = [
  '',
  '?limit=3',
  '?limit=100',
  '?status=sold&limit=5',
  '?status=pending',
  '?limit=7&page=2&%C3%BC=%F0%9F%90%BE',
  '?limit=0',
  '?limit=101',
  '?limit=0x10',
  '?limit=',
  '?limit=2&limit=3',
  '?status=lost',
  '?status=a%20b%00%zz',
  '?cursor=Zm9yZ2Vk',
  '?cursor=',
] as const

const PATHS = [
  '1',
  '7',
  '50',
  '51',
  '999',
  'abc',
  '01',
  '1e1',
  '%zz',
  '%F0%9F%90%BE',
  '9007199254740993',
  '-1',
] as const

const BODIES = [
  '{"name":"Fern","categoryId":1}',
  '{"name":"Olive","categoryId":2,"status":"pending"}',
  '{ "name" : "Łucja 🐾 \\u0000", "categoryId" : 3, "status" : "sold" }',
  '{"name":"Nox","categoryId":4,"id":7,"colour":"black","owner":{"name":"Ann"}}',
  '{"name":"","categoryId":1}',
  '{"name":"Fern"}',
  '{"name":7,"categoryId":"one","status":"lost"}',
  '{"name":"Fern","categoryId":9007199254740993}',
  '{"name":"Fern","name":"Ash","categoryId":1}',
  '{"name":"Fern",',
  '[]',
  'null',
  '',
] as const

const TYPES = ['application/json; charset=utf-8', 'text/plain', 'application/xml', ''] as const

/** Makes a request, valid or invalid. `knownPaths` are the paths that earlier responses linked to. */
export function randomRequest(random: SeededRandom, knownPaths: readonly string[]): TraceRequest {
  const headers: Record<string, string> = {}
  if (!random.percent(5)) headers.Authorization = `Bearer ${random.pick(KEYS)}`
  if (random.percent(10)) headers.Prefer = random.pick(PREFERENCES)
  const kind = random.below(100)
  if (kind < 30) return createRequest(random, headers)
  if (kind < 45) return { method: 'GET', path: `/pets/${random.pick(PATHS)}`, headers }
  if (kind < 55) return otherMethod(random, headers)
  const followed = kind < 80 ? knownPaths.at(-1) : undefined

  return { method: 'GET', path: followed ?? `/pets${random.pick(QUERIES)}`, headers }
}

function createRequest(random: SeededRandom, headers: Record<string, string>): TraceRequest {
  const type = random.percent(80) ? 'application/json' : random.pick(TYPES)
  if (type !== '') headers['Content-Type'] = type
  const kind = random.below(30)
  if (kind === 0) return { method: 'POST', path: '/pets', headers }
  if (kind === 1) return { method: 'POST', path: '/pets', headers, body: '{"name":"\xff\xfe"}' }
  const large = `{"name":"${'x'.repeat(1024 * 1024)}","categoryId":1}`
  const body = kind === 2 ? large : utf8(random.pick(BODIES))

  return { method: 'POST', path: '/pets', headers, body }
}

function otherMethod(random: SeededRandom, headers: Record<string, string>): TraceRequest {
  const method = random.pick(['HEAD', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'PROPFIND'])
  const path = random.pick(['/pets', '/pets', '/pets/1', '/pets/999', '/pets/', '/pets?limit=0'])

  return { method, path, headers }
}

/** Encodes a text in UTF-8, one character for each byte. */
function utf8(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text))
}
