import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { JsonObject } from './json-value.ts'
import { type Diagnostic, loadDocument } from './load-document.ts'
import { type DocumentSecurity, readSecurity } from './security.ts'

/** Reads a document with these security schemes. A `$ref` to "shared" is a bearer token. */
function securityOf(securitySchemes: unknown, security?: unknown): DocumentSecurity {
  const shared = { type: 'http', scheme: 'bearer' }
  const resolve = (value: unknown): unknown =>
    Object(value).$ref === '#/x-shared' ? shared : value

  return readSecurity({ components: { securitySchemes }, security }, resolve)
}

const TWO = {
  app: { type: 'apiKey', in: 'header', name: 'X-App' },
  user: { type: 'http', scheme: 'Bearer' },
}

function requirementOf(own: JsonObject, ofDocument?: unknown): object {
  const { mistakes: _, ...requirement } = securityOf(TWO, ofDocument).requirementOf(own, [])
  return requirement
}

describe('the security schemes of a document', () => {
  test.each([
    ['a bearer token', { type: 'http', scheme: 'bearer' }, { type: 'bearer' }],
    ['a scheme in capitals', { type: 'http', scheme: 'Bearer' }, { type: 'bearer' }],
    ['a user name and password', { type: 'http', scheme: 'basic' }, { type: 'basic' }],
    ['another scheme', { type: 'http', scheme: 'Digest' }, { type: 'http', scheme: 'digest' }],
    ['OAuth 2', { type: 'oauth2', flows: {} }, { type: 'bearer' }],
    ['OpenID Connect', { type: 'openIdConnect' }, { type: 'bearer' }],
    ['a client certificate', { type: 'mutualTLS' }, { type: 'mutual-tls' }],
    ['a $ref', { $ref: '#/x-shared' }, { type: 'bearer' }],
    [
      'a key in the query',
      { type: 'apiKey', in: 'query', name: 'api_key' },
      { type: 'query', parameter: 'api_key' },
    ],
    [
      'a key in a cookie',
      { type: 'apiKey', in: 'cookie', name: 'sid' },
      { type: 'cookie', parameter: 'sid' },
    ],
  ])('include %s', (_, given, scheme) => {
    expect(securityOf({ one: given })).toMatchObject({
      schemes: [{ name: 'one', ...scheme }],
      mistakes: [],
    })
  })

  test('are in document order', () => {
    expect(securityOf(TWO).schemes.map(({ name }) => name)).toEqual(['app', 'user'])
  })

  test.each([
    ['an unknown type', { type: 'magic' }, [{ type: 'http', scheme: '' }]],
    ['no type', {}, [{ type: 'http', scheme: '' }]],
    ['no scheme', { type: 'http' }, [{ type: 'http', scheme: '' }]],
    ['a type that is a scheme', { type: 'basic' }, [{ type: 'basic' }]],
    ['no location', { type: 'apiKey', name: 'K' }, [{ type: 'header', parameter: 'K' }]],
    ['no name', { type: 'apiKey', in: 'query' }, []],
    ['a value that is no object', 'bearer', [{ type: 'http', scheme: '' }]],
    ['an inherited name as type', { type: 'constructor' }, [{ type: 'http', scheme: '' }]],
  ])('with %s are read with a mistake', (_, given, schemes) => {
    const read = securityOf({ one: given })

    expect(read.schemes).toEqual(schemes.map((scheme) => ({ name: 'one', ...scheme })))
    expect(read.mistakes).toEqual([
      expect.objectContaining({ pointer: ['components', 'securitySchemes', 'one'] }),
    ])
  })

  test.each([[undefined], [null], ['none'], [[]]])('can be %j', (securitySchemes) => {
    expect(securityOf(securitySchemes)).toMatchObject({ schemes: [], mistakes: [] })
  })
})

describe('the requirement of an operation', () => {
  test('is that of the document, unless the operation has its own', () => {
    const ofDocument = [{ user: [] }]

    expect(requirementOf({}, ofDocument)).toEqual({ secured: true, security: [['user']] })
    expect(requirementOf({ security: [{ app: [] }] }, ofDocument)).toEqual({
      secured: true,
      security: [['app']],
    })
    expect(requirementOf({ security: [] }, ofDocument)).toEqual({ secured: false })
    expect(requirementOf({})).toEqual({ secured: false })
  })

  test('keeps alternatives apart from schemes that are needed together', () => {
    const security = [{ app: [], user: ['read'] }, { app: [] }]

    expect(requirementOf({ security })).toEqual({
      secured: true,
      security: [['app', 'user'], ['app']],
    })
  })

  test('is optional when one alternative is empty', () => {
    expect(requirementOf({ security: [{ user: [] }, {}] })).toEqual({
      secured: false,
      security: [['user'], []],
    })
  })

  test('leaves out a scheme that is not declared, with a mistake that suggests another one', () => {
    const { requirementOf } = securityOf(TWO)

    const { mistakes, ...requirement } = requirementOf(
      { security: [{ usr: [], app: [] }, 'user'] },
      ['paths', '/books', 'get'],
    )

    expect(requirement).toEqual({ secured: true, security: [['app']] })
    expect(mistakes).toEqual([
      expect.objectContaining({
        reason: 'the security scheme "usr" is not declared',
        pointer: ['paths', '/books', 'get', 'security', '0', 'usr'],
        suggestion: 'user',
      }),
      expect.objectContaining({ pointer: ['paths', '/books', 'get', 'security', '1'] }),
    ])
  })

  test('reports a mistake of the document once, not for each operation', () => {
    const { mistakes, requirementOf } = securityOf(TWO, [{ gone: [] }])

    expect(mistakes).toHaveLength(1)
    expect(requirementOf({}, [])).toEqual({ secured: false, security: [[]], mistakes: [] })
  })
})

let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
})

afterEach(() => rm(folder, { recursive: true }))

async function diagnosticsOf(scheme: string, requirement: string): Promise<readonly Diagnostic[]> {
  const file = join(folder, 'books.yaml')
  await writeFile(
    file,
    `openapi: 3.1.1
info: { title: Books, version: '1' }
paths:
  /books:
    get:
      security: [${requirement}]
      responses: { '204': { description: None. } }
components:
  securitySchemes:
    token: ${scheme}
`,
  )
  return (await loadDocument(file)).diagnostics.list()
}

describe('the diagnostics of a document', () => {
  test('name a requirement of a security scheme that does not exist, with its location', async () => {
    const [diagnostic] = await diagnosticsOf('{ type: http, scheme: bearer }', '{ tokn: [] }')

    expect(diagnostic?.location).toMatch(/books\.yaml:6:\d+$/)
    expect(diagnostic).toMatchObject({ reason: expect.stringContaining('tokn') })
  })

  test('name a security scheme that is not an object, with its location', async () => {
    const [diagnostic] = await diagnosticsOf('text', '{ token: [] }')

    expect(diagnostic?.location).toMatch(/books\.yaml:10:\d+$/)
  })

  test('are none for security that is right', async () => {
    expect(await diagnosticsOf('{ type: http, scheme: bearer }', '{ token: [] }')).toEqual([])
  })
})
