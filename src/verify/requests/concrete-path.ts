import type { Operation } from '../../contract/contract.ts'
import { encodeLiteral } from '../../contract/path-pattern.ts'

/** The base path that an operation has of its own, if any, and the segments of the path of one record or collection. */
export type RecordPath = readonly string[]

/** The segments of a path or of its template, without a slash at its end. */
export function segmentsOf(path: string): readonly string[] {
  return path.replace(/^\//, '').replace(/\/$/, '').split('/')
}

/** Whether a segment of a template is one parameter, and nothing else. */
export function isParameter(segment: string): boolean {
  return /^\{[^{}]+\}$/.test(segment)
}

export const UNKNOWN_RECORD = 'its path does not show which record it changes'

/** Whether every parameter of a path is a segment of its own. */
export function hasWholeParameters({ path }: Operation): boolean {
  return segmentsOf(path).every((segment) => !/[{}]/.test(segment) || isParameter(segment))
}

/** The part of a template up to its last parameter: the path of the record that an operation is about. */
export function recordTemplate({ path }: Operation): readonly string[] {
  const segments = segmentsOf(path)
  return segments.slice(0, segments.findLastIndex((one) => one.includes('{')) + 1)
}

/**
 * The path of a request as servers read it; `undefined` for a path that they may read otherwise, such as one with `..`, and for one
 * that is not a path of the operation.
 */
export function concretePath(
  { path, basePaths }: Operation,
  target: string,
): RecordPath | undefined {
  const [given = ''] = target.split(/[?#]/)
  const sent = segmentsOf(given)
  const template = segmentsOf(path)
  if (sent.length !== template.length || !sent.every(isPlain)) return undefined
  const fits = template.every(
    (segment, at) => segment.includes('{') || encodeLiteral(segment) === sent[at],
  )
  return fits ? [basePaths?.[0] ?? '', ...sent] : undefined
}

/** Whether a segment is no step up, is not empty, and contains no separator in any spelling. */
function isPlain(segment: string): boolean {
  if (/%2f|%5c|\\/i.test(segment)) return false
  return !/^\.{0,2}$/.test(segment.replace(/%2e/gi, '.'))
}

/** The id at the end of a path, which a link of the server may have spelt wrongly. */
export function lastOf(path: string): string {
  const last = segmentsOf(path).at(-1) ?? ''
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

/** Whether a text can be the id of one record in a path. */
export function isPathId(text: string): boolean {
  return !/[/\\\p{Surrogate}*?#]|^\.{0,2}$/u.test(text)
}

/** Whether a path is one of a template, both after their base path. */
export function isAt(path: RecordPath, template: readonly string[]): boolean {
  return (
    path.length === template.length &&
    path.every((segment, at) => {
      const wanted = template[at] ?? ''
      return isParameter(wanted) || segment === wanted
    })
  )
}
