import type { SecurityScheme } from '../access/security-scheme.ts'
import type { Operation } from '../contract/contract.ts'
import { isObject } from '../validation/objects.ts'
import { suggest } from '../validation/usage-error.ts'
import { atPart, type Document, followRefs } from './document.ts'
import { asObject, asString, type JsonObject, type Pointer } from './json-value.ts'
import type { Mistake, PartMistake } from './mistake.ts'
import { operationsOf } from './operations.ts'

/** The value that a `$ref` points to; any other value as it is. */
type Resolve = (value: unknown) => unknown

/** The security schemes of a document. */
export interface DocumentSecurity {
  /** The schemes in document order, without those that no request can satisfy because the document says too little. */
  readonly schemes: readonly SecurityScheme[]
  readonly mistakes: readonly PartMistake[]
  /** What an operation requires: its own requirements, else those of the document. */
  readonly requirementOf: (operation: JsonObject, pointer: Pointer) => SecurityRequirement
}

/** The credentials that an operation requires. */
interface SecurityRequirement extends Pick<Operation, 'secured' | 'security' | 'scopes'> {
  readonly mistakes: readonly PartMistake[]
}

/** Reads the security schemes of a document. Never throws: a mistake makes the sandbox accept more, not less. */
export function readSecurity(root: JsonObject, resolve: Resolve): DocumentSecurity {
  const declared = asObject(resolve(asObject(root.components).securitySchemes))
  const mistakes: PartMistake[] = []
  const schemes = Object.entries(declared).flatMap(([name, value]) => {
    const pointer = ['components', 'securitySchemes', name]
    return readScheme(name, asObject(resolve(value)), (reason, assumed) =>
      mistakes.push({ reason, pointer, assumed }),
    )
  })
  const names: Names = {
    declared: Object.keys(declared),
    usable: new Set(schemes.map(({ name }) => name)),
    tokens: new Set(
      Object.entries(declared).flatMap(([name, value]) => {
        const type = (asString(asObject(resolve(value)).type) ?? '').toLowerCase()
        return type === 'oauth2' || type === 'openidconnect' ? [name] : []
      }),
    ),
  }
  const ofDocument = readRequirement(root.security, ['security'], names)
  const inherited = ofDocument ?? { secured: false, mistakes: [] }

  return {
    schemes,
    mistakes: [...mistakes, ...inherited.mistakes],
    requirementOf: (operation, pointer) =>
      readRequirement(operation.security, [...pointer, 'security'], names) ?? {
        ...inherited,
        mistakes: [],
      },
  }
}

interface Names {
  readonly declared: readonly string[]
  /** The names of the schemes that a request can satisfy. */
  readonly usable: ReadonlySet<string>
  /** The names of the schemes whose credentials have scopes. */
  readonly tokens: ReadonlySet<string>
}

type Report = (reason: string, assumed: string) => void

const ANY_HEADER = 'any Authorization header is accepted'

/** The types and spellings of schemes that are sent in an `Authorization` header. */
const IN_AUTHORIZATION: Readonly<Record<string, 'bearer' | 'basic'>> = {
  oauth2: 'bearer',
  openidconnect: 'bearer',
  bearer: 'bearer',
  basic: 'basic',
}

function readScheme(name: string, value: JsonObject, report: Report): readonly SecurityScheme[] {
  const type = (asString(value.type) ?? '').toLowerCase()
  if (type === 'mutualtls') return [{ name, type: 'mutual-tls' }]
  if (type === 'apikey') return readApiKey(name, value, report)
  if (type === 'http') {
    const scheme = (asString(value.scheme) ?? '').trim().toLowerCase()
    if (scheme === '') report(`the security scheme "${name}" has no scheme`, ANY_HEADER)
    if (scheme === 'bearer' || scheme === 'basic') return [{ name, type: scheme }]
    return [{ name, type: 'http', scheme }]
  }
  const known = Object.hasOwn(IN_AUTHORIZATION, type) ? IN_AUTHORIZATION[type] : undefined
  if (known === undefined) {
    report(`the security scheme "${name}" has no known type`, ANY_HEADER)
    return [{ name, type: 'http', scheme: '' }]
  }
  if (type === known) {
    const assumed = `type: http, scheme: ${known}`
    report(`the security scheme "${name}" has the unknown type "${type}"`, assumed)
  }
  return [{ name, type: known }]
}

const LOCATIONS = ['header', 'query', 'cookie'] as const

function readApiKey(name: string, value: JsonObject, report: Report): readonly SecurityScheme[] {
  const parameter = (asString(value.name) ?? '').trim()
  if (parameter === '') {
    report(`the API key "${name}" has no name`, 'it is not required')
    return []
  }
  const location = (asString(value.in) ?? '').toLowerCase()
  const type = LOCATIONS.find((one) => one === location)
  if (!type) report(`the API key "${name}" is in none of ${LOCATIONS.join(', ')}`, 'in: header')

  return [{ name, type: type ?? 'header', parameter }]
}

/** `undefined` when the list is missing or is no list. */
function readRequirement(
  value: unknown,
  pointer: Pointer,
  names: Names,
): SecurityRequirement | undefined {
  if (!Array.isArray(value)) return undefined
  const mistakes: PartMistake[] = []
  const alternatives = value.flatMap((one: unknown, index) => {
    const place = [...pointer, String(index)]
    if (isObject(one)) {
      return [{ names: usableNames(one, place, names, mistakes), scopes: scopesIn(one, names) }]
    }
    const reason = 'a security requirement must be an object'
    mistakes.push({ reason, pointer: place, assumed: 'it is ignored' })
    return []
  })
  const security = alternatives.map((one) => one.names)
  const scopes = alternatives.map((one) => one.scopes)
  const secured = security.length > 0 && security.every(({ length }) => length > 0)
  const hasScopes = scopes.some(({ length }) => length > 0)

  return {
    secured,
    ...(security.length > 0 && { security }),
    ...(hasScopes && { scopes }),
    mistakes,
  }
}

/** The scopes of a requirement. Those of schemes without tokens are roles for people to read (OpenAPI 3.1). */
function scopesIn(requirement: JsonObject, { tokens }: Names): readonly string[] {
  const lists = Object.entries(requirement).flatMap(([name, scopes]) =>
    tokens.has(name) && Array.isArray(scopes) ? scopes : [],
  )
  return [...new Set(lists.flatMap((scope) => (typeof scope === 'string' ? [scope] : [])))]
}

/** The names of a requirement that a request can satisfy. A scheme that is not declared is not required. */
function usableNames(
  requirement: JsonObject,
  pointer: Pointer,
  { declared, usable }: Names,
  mistakes: PartMistake[],
): readonly string[] {
  return Object.keys(requirement).filter((name) => {
    if (usable.has(name)) return true
    if (!declared.includes(name)) {
      mistakes.push({
        reason: `the security scheme "${name}" is not declared`,
        pointer: [...pointer, name],
        part: 'key',
        assumed: 'it is not required',
        ...suggest(name, declared),
      })
    }
    return false
  })
}

/** Finds mistakes in the security schemes of a document, and in what it and its operations require of them. */
export function validateSecurity(document: Document): Mistake[] {
  const { mistakes, requirementOf } = readSecurity(
    document.root,
    (value) => followRefs(document, { value, pointer: [] })?.value,
  )
  const ofOperations = operationsOf(document).flatMap(
    ({ operation, pointer }) => requirementOf(operation, pointer).mistakes,
  )

  return [...mistakes, ...ofOperations].map((mistake) => ({
    ...atPart(document, mistake),
    detail: 'complete',
  }))
}
