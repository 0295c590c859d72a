import type { Operation } from '../contract/contract.ts'
import { encodeLiteral, PathPattern } from '../contract/path-pattern.ts'
import type { SignInDescription } from '../contract/sign-in.ts'
import { suggest } from '../validation/usage-error.ts'
import { is, oneOf, type ValueCheck } from '../validation/value-check.ts'

const REQUEST = /^([A-Z]+) (\/.*)$/

/** The operation with an id, or with a method and a path template, such as `POST /books`. */
export function findOperation<Found extends Pick<Operation, 'id' | 'method' | 'path'>>(
  name: string,
  operations: readonly Found[],
): Found | undefined {
  const own = operations.find(({ id }) => id === name)
  const [, method, path = ''] = REQUEST.exec(name) ?? []
  if (own || method === undefined) return own
  const wanted = withoutNames(path)

  return operations.find((one) => one.method === method && withoutNames(one.path) === wanted)
}

/** A path template without the names of its parameters. */
function withoutNames(path: string): string {
  return path.replace(/\{[^{}]*\}/g, '{}')
}

export function checkOperation(operations: readonly Operation[]): ValueCheck {
  const ids = operations.map(({ id }) => id)
  return (value, path, mistakes) => {
    const isRequest = typeof value === 'string' && REQUEST.test(value)
    if (isRequest && findOperation(value, operations)) return
    const known = isRequest ? operations.map((one) => `${one.method} ${one.path}`) : ids
    oneOf('operation', known)(value, path, mistakes)
  }
}

/** In characters. In the worst case, matching a path takes time in proportion to this length. */
const MAX_PATH_LENGTH = 2000

const PATH = is(
  'a path as /books/*',
  (value) => typeof value === 'string' && /^\/\P{Cs}*$/u.test(value),
)

const TOO_LONG = is(`a path of at most ${MAX_PATH_LENGTH} characters`, () => false)

/** The operations of a contract, and where they are served. */
interface RulePaths {
  readonly operations: readonly Pick<Operation, 'path'>[]
  readonly basePath: string
  readonly signIn?: Pick<SignInDescription, 'endpoints'>
}

/** Checks the form of a rule's path. */
export const checkPath: ValueCheck = (value, ...rest) => {
  const isLong = typeof value === 'string' && value.length > MAX_PATH_LENGTH
  return (isLong ? TOO_LONG : PATH)(value, ...rest)
}

/** Checks the path of a rule, which has to match requests of some operation. */
export function pathOfOperation({ operations, basePath, signIn }: RulePaths): ValueCheck {
  return (value, path, mistakes) => {
    const before = mistakes.length
    checkPath(value, path, mistakes)
    if (mistakes.length > before) return
    const given = String(value)
    const below = withoutBasePath(given, basePath)
    const own = operations.map((operation) => operation.path)
    const templates = [...new Set([...own, ...Object.keys(signIn?.endpoints ?? {})])]
    if (templates.some((template) => canMatch(below, template))) return
    const reason = `no operation has the path ${JSON.stringify(given)}`
    mistakes.push({ path, part: 'value', reason, ...nearest(below, templates) })
  }
}

/** The path of a rule below the base path. */
export function withoutBasePath(path: string, basePath: string): string {
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path
}

/** The pattern of a rule's path: `*` stands for any text of a segment. */
export function rulePattern(path: string): PathPattern {
  return new PathPattern(path.replace(/\*+/g, '{any}'))
}

/** Whether some path matches both. Where both have parameters in one segment, it is taken to be so. */
function canMatch(rulePath: string, template: string): boolean {
  const rules = segmentsOf(rulePath.replace(/\*+/g, '{any}'))
  const segments = segmentsOf(template)
  if (rules.length !== segments.length) return false

  return rules.every((rule, at) => {
    const segment = segments[at] ?? ''
    if (!hasParameter(rule))
      return new PathPattern(segment).match(encodeLiteral(rule)) !== undefined
    return (
      hasParameter(segment) || new PathPattern(rule).match(encodeLiteral(segment)) !== undefined
    )
  })
}

/** A trailing slash makes no difference. */
function segmentsOf(path: string): readonly string[] {
  return path.replace(/(?<=.)\/$/, '').split('/')
}

function hasParameter(segment: string): boolean {
  return /\{[^}]+\}/.test(segment)
}

/** The nearest template, compared with the values of the rule in the place of its parameters. */
function nearest(path: string, templates: readonly string[]): ReturnType<typeof suggest> {
  const given = segmentsOf(path)
  const filled = templates.map((template) =>
    segmentsOf(template)
      .map((segment, at) => (hasParameter(segment) ? (given[at] ?? segment) : segment))
      .join('/'),
  )
  const { suggestion } = suggest(path, filled)
  const found = suggestion === undefined ? undefined : templates[filled.indexOf(suggestion)]

  return { suggestion: found, allowed: templates }
}
