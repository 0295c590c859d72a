import type { Contract, Operation } from '../contract/contract.ts'
import { UsageError, unknownName } from '../validation/usage-error.ts'
import { isParameter, segmentsOf } from './record-address.ts'

/** Which operations a run tests, and which it never sends. */
export interface OperationSelection {
  /** The operations whose checks are evaluated. Others are sent only to prepare these. */
  readonly tested: ReadonlySet<Operation>
  /** Whether some operations of the document are not tested. */
  readonly isPart: boolean
  /** The operations to which nothing is sent. */
  readonly excluded: ReadonlySet<Operation>
}

/**
 * The operations that the options `only` and `exclude` select: by id, method, path pattern, method and path, or tag. Throws a
 * `UsageError` for a text that selects none.
 */
export function selectOperations(
  { operations }: Contract,
  only: readonly string[],
  exclude: readonly string[],
): OperationSelection {
  const wanted = only.flatMap((text) => selected(operations, text, 'only'))
  const excluded = new Set(exclude.flatMap((text) => selected(operations, text, 'exclude')))
  const all = only.length === 0 ? operations : wanted
  const tested = new Set(all.filter((one) => !excluded.has(one)))
  if (tested.size > 0 || operations.length === 0) {
    return { tested, excluded, isPart: tested.size < operations.length }
  }
  throw new UsageError({
    code: 'no_operation',
    task: 'verify the service',
    reason: 'all selected operations are excluded',
    help: 'Exclude fewer operations.',
  })
}

function selected(
  operations: readonly Operation[],
  text: string,
  option: 'only' | 'exclude',
): readonly Operation[] {
  const found = operations.filter((operation) => isSelected(operation, text))
  if (found.length > 0) return found
  const known = operations.flatMap(({ id, method, path, tags = [] }) => [id, method, path, ...tags])
  const { suggestion } = unknownName('operation', text, [...new Set(known)])
  const nearest = suggestion === undefined ? '' : `Did you mean "${suggestion}"? `
  const words = option === 'only' ? ' To select checks by their words, use --check.' : ''
  throw new UsageError({
    code: 'no_operation',
    task: option === 'only' ? `verify only "${text}"` : `exclude "${text}"`,
    reason: 'no operation of the document has this id, method, path or tag',
    help: `${nearest}Paths may have * and **, such as "DELETE /users/**".${words}`,
    ...(suggestion !== undefined && { suggestion }),
  })
}

function isSelected({ id, method, path, tags = [] }: Operation, text: string): boolean {
  const [, ownMethod = method, pattern] = /^(?:([a-z]+)\s+)?(\/.*)$/i.exec(text) ?? []
  if (id === text || isSameText(method, text)) return true
  if (tags.some((tag) => isSameText(tag, text))) return true
  return pattern !== undefined && isSameText(method, ownMethod) && matches(pattern, path)
}

function isSameText(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/** Whether a path template matches a pattern: `*` stands for text in a segment, `**` for any number of segments. */
function matches(pattern: string, path: string): boolean {
  return matchesFrom(segmentsOf(pattern), segmentsOf(path))
}

function matchesFrom([first, ...others]: readonly string[], segments: readonly string[]): boolean {
  if (first === undefined) return segments.length === 0
  if (first === '**') {
    // At the end, it stands for what is below a path.
    if (others.length === 0) return segments.length > 0
    return segments.some((_, at) => matchesFrom(others, segments.slice(at)))
  }
  const [segment, ...rest] = segments
  return segment !== undefined && matchesSegment(first, segment) && matchesFrom(others, rest)
}

function matchesSegment(pattern: string, segment: string): boolean {
  // The names of parameters do not matter.
  if (isParameter(pattern) && isParameter(segment)) return true
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(segment)
}
