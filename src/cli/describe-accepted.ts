import type { AuthMode, SecurityScheme } from '../access/security-scheme.ts'
import type { Contract } from '../contract/contract.ts'
import { alternativesOf } from '../contract/credentials.ts'
import { count } from '../validation/usage-error.ts'

/** A line that people read at once, with room for the quota after it. */
const MAX_LENGTH = 130

/**
 * What a sandbox accepts, in a sentence for people, such as `Accepted: any bearer token.` It names the schemes that operations
 * require, in the order in which operations prefer them, and each kind once. What makes the line too long is counted.
 */
export function describeAccepted(
  auth: AuthMode,
  contract: Pick<Contract, 'operations' | 'securitySchemes'>,
): string {
  const schemes = requiredSchemes(contract)
  if (auth === 'off' || schemes.length === 0) return 'No credentials are needed.'
  if (auth === 'keys') return 'Only API keys of the sandbox are accepted, and it has none yet.'
  const places = placesByKind(schemes)
  const most = Math.max(...[...places.values()].map(({ size }) => size))
  let line = ''
  for (let shown = Math.min(most, MAX_PLACES); shown >= 0; shown -= 1) {
    const kinds = [...places].map((kind) => describeKind(...kind, shown))
    line = `Accepted: ${withCount(kinds, MAX_KINDS, 'other kind').join(', or ')}.`
    if (line.length <= MAX_LENGTH) return line
  }
  return line
}

/** More would be a line that nobody reads. */
const MAX_KINDS = 3
const MAX_PLACES = 3

/** The schemes that some operation requires, in the order of operations and of their alternatives. */
function requiredSchemes(
  contract: Pick<Contract, 'operations' | 'securitySchemes'>,
): readonly SecurityScheme[] {
  const requirements = new Map<string, readonly (readonly SecurityScheme[])[]>()
  for (const operation of contract.operations) {
    if (!operation.secured) continue
    const key = JSON.stringify(operation.security ?? null)
    if (!requirements.has(key)) requirements.set(key, alternativesOf(operation, contract))
  }
  return [...new Set([...requirements.values()].flat(2))]
}

const LOCATIONS = { header: 'header', query: 'query parameter', cookie: 'cookie' } as const

/** The places where each kind of credential is sent, in the order of the schemes. A kind with one place has no name for it. */
function placesByKind(
  schemes: readonly SecurityScheme[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const kinds = new Map<string, Set<string>>()
  for (const scheme of schemes) {
    const [kind, place] = kindOf(scheme)
    const places = kinds.get(kind) ?? new Set()
    kinds.set(kind, place === undefined ? places : places.add(place))
  }
  return kinds
}

function kindOf(scheme: SecurityScheme): readonly [kind: string, place?: string] {
  switch (scheme.type) {
    case 'bearer':
      return ['bearer token']
    case 'basic':
      return ['user name and password']
    case 'http':
      return scheme.scheme === ''
        ? ['Authorization header']
        : ['credential', `the scheme ${scheme.scheme}`]
    case 'mutual-tls':
      return ['client certificate']
    default:
      return ['API key', `the ${LOCATIONS[scheme.type]} ${scheme.parameter}`]
  }
}

/** `any API key in the header X-Key or 2 other places`. */
function describeKind(kind: string, places: ReadonlySet<string>, shown: number): string {
  if (places.size === 0 || shown === 0) return `any ${kind}`
  const listed = withCount([...places], shown, 'other place')
  const last = listed.at(-1) ?? ''

  return `any ${kind} in ${[listed.slice(0, -1).join(', '), last].filter(Boolean).join(' or ')}`
}

/** The first texts, and the number of the others. */
function withCount(texts: readonly string[], shown: number, noun: string): readonly string[] {
  const others = texts.length - shown
  return others > 0 ? [...texts.slice(0, shown), count(others, noun)] : texts
}
