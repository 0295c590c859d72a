import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createSandbox } from '../index.ts'
import { expectValidExchange } from '../testing/contract-validator.ts'

/** The document as code generators and validators read it. */
const document = parse(readFileSync('openapi.yaml', 'utf8'))

type Call = [operation: string, method: string, path: string, body?: object]

const CALLS: Call[] = [
  ['listPets', 'GET', '/pets'],
  ['createPet', 'POST', '/pets', { name: 'Rex', categoryId: 3 }],
  ['getPet', 'GET', '/pets/1'],
]

const OUTCOMES = ['bad-request', 'unauthorized', 'not-found', 'rate-limited', 'day-exhausted']
const OTHERS = ['banned', 'removed', 'server-error', 'unavailable']
const CODES = [400, 401, 404, 429, 500, 503]

async function send(
  [, method, path, body]: Call,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const request = new Request(`http://localhost/v1${path}`, {
    method,
    headers: {
      Authorization: 'Bearer sk_sandbox_free',
      'Content-Type': 'application/json',
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return createSandbox().fetch(request)
}

describe.each(CALLS)('the document of %s', (...call) => {
  const [operation, method, path] = call
  const preferences = [
    ...CODES.map((code) => `code=${code}`),
    ...[...OUTCOMES, ...OTHERS].map((outcome) => `outcome=${outcome}`),
  ]

  it('documents single statuses only, no range and no default', () => {
    const operations = Object.values<Record<string, { operationId?: string; responses?: object }>>(
      document.paths,
    ).flatMap((item) => Object.values(item))
    const { responses = {} } = operations.find(({ operationId }) => operationId === operation) ?? {}

    expect(Object.keys(responses).filter((status) => !/^[1-5]\d\d$/.test(status))).toEqual([])
  })

  it.each(preferences)('documents the response to Prefer: %s', async (preference) => {
    const response = await send(call, { Prefer: preference })

    const { status, headers } = response
    expectValidExchange({ method, path, status, headers, body: await response.text() })
  })
})

it('has a cursor in the example of Link that the sandbox accepts', async () => {
  const { Link } = document.components.headers
  const [, url = ''] = /<([^>]+)>/.exec(Link.example) ?? []
  const { pathname, search, searchParams } = new URL(url)

  const target = pathname.replace('/v1', '') + search
  const { status } = await send(['listPets', 'GET', target])

  expect(status).toBe(200)
  expect(searchParams.get('cursor')).toBe(document.components.parameters.Cursor.example)
})

it('has the default of a status in x-sandbox only, so that generated clients can omit the status', () => {
  const { status } = document.components.schemas.NewPet.properties

  expect(status.default).toBeUndefined()
  expect(status['x-sandbox']).toEqual({ default: 'available' })
  expect(status.description).toContain('available')
})
