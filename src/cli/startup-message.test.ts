import { expect, test } from 'vitest'
import type { SecurityScheme } from '../access/security-scheme.ts'
import type { Contract } from '../contract/contract.ts'
import { loadContract } from '../document/load-contract.ts'
import { contract } from '../generated/contract.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { describeAccepted, startupJson, startupMessage } from './startup-message.ts'

const ORIGIN = 'http://127.0.0.1:4010'
const START = { origin: ORIGIN, control: {} }

function plain(_style: unknown, text: string): string {
  return text
}

test('the startup message lists every key with the quota of its plan or its forced outcome', () => {
  const sandbox = createSandbox({ plans: { pro: { minute: 1234 } }, keys: { mine: 'pro' } })

  const lines = startupMessage(sandbox, START, plain).split('\n')

  expect(lines).toContain('  mine                      pro         1,234 a minute, 10,000 a day')
  expect(lines).toContain('  sk_sandbox_banned         free        always 429: the key is banned')
})

test('the startup message counts the operations, and the mistakes of the document', () => {
  const mistakes = { count: 12, command: 'pet-sandbox explain books.yaml --diagnostics' }
  const start = { ...START, mistakes }

  const lines = startupMessage(createSandbox(), start, plain).split('\n')

  expect(lines[2]).toBe('3 operations')
  expect(lines[3]).toBe(`12 mistakes in the document so far. List all: ${mistakes.command}`)
  expect(startupMessage(createSandbox(), START, plain)).not.toContain('mistake')
  expect(JSON.parse(startupJson(createSandbox(), start))).toMatchObject({
    operations: 3,
    diagnostics: mistakes,
  })
})

test('the startup message has the first request, and its status when that is not a 2xx', () => {
  const curl = `curl -i '${ORIGIN}/v1/pets'`
  const start = (status: number): string =>
    startupMessage(createSandbox(), { ...START, firstRequest: { curl, status } }, plain)

  expect(start(200)).toContain(`\n\nTry it:\n  ${curl}\n\n`)
  expect(start(501)).toContain(`\n\nTry it (the response has the status 501):\n  ${curl}\n\n`)
  expect(startupMessage(createSandbox(), START, plain)).not.toContain('Try it')
})

test('the startup message says what is accepted when there are no keys', async () => {
  const library = await loadContract('src/testing/library.yaml')
  const securitySchemes = [
    { name: 'app', type: 'header', parameter: 'X-Api-Key' },
    { name: 'user', type: 'basic' },
  ] as const
  const start = (contract: Contract, ...rest: [auth?: 'off' | 'keys']): string =>
    startupMessage(createSandbox({ contract }), START, plain, ...rest)

  expect(start(library)).toContain('\n\n  Accepted: any bearer token.\n\n')
  const operations = library.operations.map(({ security: _, ...operation }) => operation)
  expect(start({ ...library, operations, securitySchemes })).toContain(
    'Accepted: any API key in the header X-Api-Key, or any user name and password.',
  )
  expect(start({ ...library, securitySchemes: [] })).toContain('No credentials are needed.')
  expect(start(library, 'off')).toContain('No credentials are needed.')
  expect(start(library, 'keys')).toContain('Only API keys of the sandbox are accepted')
})

test('the startup message has the address of the dashboard and the control interface, and a generated token', () => {
  const made = { origin: ORIGIN, control: { newToken: 'sesame' } }

  const usual = startupMessage(createSandbox(), START, plain)
  const open = startupMessage(createSandbox(), made, plain)
  const none = startupMessage(createSandbox(), { origin: ORIGIN }, plain)

  expect(usual).toContain(`Dashboard and control interface: ${ORIGIN}/__sandbox\n`)
  expect(open).toContain(
    `Dashboard and control interface: ${ORIGIN}/__sandbox\n  Other machines must send: Authorization: Bearer sesame\n`,
  )
  expect(none).not.toContain('/__sandbox')
  expect(JSON.parse(startupJson(createSandbox(), made))).toMatchObject({
    dashboard: `${ORIGIN}/__sandbox`,
    control: `${ORIGIN}/__sandbox`,
    controlToken: 'sesame',
  })
})

test('the startup message has the public URL and the local address', () => {
  const start = { origin: ORIGIN, publicUrl: 'https://shop.test/api' }

  const lines = startupMessage(createSandbox(), start, plain).split('\n')

  expect(lines[1]).toContain(`sandbox at ${ORIGIN}/v1`)
  expect(lines[2]).toBe('Public address: https://shop.test/api/v1')
  expect(JSON.parse(startupJson(createSandbox(), start))).toMatchObject({
    listening: `${ORIGIN}/v1`,
    public: 'https://shop.test/api/v1',
  })
})

test('the JSON startup line has address, title, version and keys as JSON', () => {
  const line = startupJson(createSandbox(), START)

  expect(JSON.parse(line)).toMatchObject({
    listening: `${ORIGIN}/v1`,
    title: 'Pet Adoption Store',
    version: '1.0.0',
    keys: { sk_sandbox_free: 'free', sk_sandbox_banned: 'free' },
  })
  expect(line).toMatch(/^[^\n]*\n$/)
})

/** What is accepted when operations require these alternatives of these schemes; by default any one scheme. */
function acceptedBy(
  securitySchemes: readonly SecurityScheme[],
  ...requirements: readonly (readonly (readonly string[])[])[]
): string {
  const operations = contract.operations.map(({ security: _, ...operation }, at) => {
    const security = requirements[at]
    const secured = requirements.length === 0 || security?.every(({ length }) => length > 0)
    return { ...operation, secured: secured === true, ...(security && { security }) }
  })
  return describeAccepted('any', { operations, securitySchemes })
}

function apiKeys(count: number, start = 'X-Key-'): readonly SecurityScheme[] {
  return Array.from({ length: count }, (_, at) => ({
    name: `key${at}`,
    type: 'header',
    parameter: `${start}${at}`,
  }))
}

const BEARERS = ['oauth', 'jwt'].map((name) => ({ name, type: 'bearer' }) as const)
const DIGEST = { name: 'digest', type: 'http', scheme: 'digest' } as const

test('schemes of one kind are named once', () => {
  expect(acceptedBy(BEARERS)).toBe('Accepted: any bearer token.')
  expect(acceptedBy([...apiKeys(2), ...BEARERS, DIGEST])).toBe(
    'Accepted: any API key in the header X-Key-0 or the header X-Key-1, or any bearer token, or any credential in the scheme digest.',
  )
})

test('of many places, the first three are named, and the others are counted', () => {
  expect(acceptedBy(apiKeys(7))).toBe(
    'Accepted: any API key in the header X-Key-0, the header X-Key-1, the header X-Key-2 or 4 other places.',
  )
})

test('fewer places are named when the line would be too long', () => {
  expect(acceptedBy(apiKeys(4, 'X-Key-Of-A-Customer-Or-Partner-'))).toBe(
    'Accepted: any API key in the header X-Key-Of-A-Customer-Or-Partner-0 or 3 other places.',
  )
  expect(acceptedBy(apiKeys(2, 'X'.repeat(200)))).toBe('Accepted: any API key.')
})

test('the schemes that operations require are named in the order in which operations prefer them', () => {
  const schemes = [...apiKeys(2), ...BEARERS]

  expect(acceptedBy(schemes, [['jwt'], ['key1']])).toBe(
    'Accepted: any bearer token, or any API key in the header X-Key-1.',
  )
  expect(acceptedBy(schemes, [])).toBe('No credentials are needed.')
  expect(acceptedBy(schemes, [[], ['jwt']])).toBe('No credentials are needed.')
})
