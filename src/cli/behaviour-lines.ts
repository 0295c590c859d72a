import type { ExplainedOperation } from '../resources/explain-operations.ts'
import { table } from './table.ts'
import { type Paint, printable } from './terminal.ts'

const HEADER = ['OPERATION', 'REQUEST', 'BEHAVIOUR', 'RESOURCE', 'REASON']

/** The lines of a table of operations, as `explain` and `ctl operations` print them. */
export function behaviourLines(
  explained: readonly ExplainedOperation[],
  paint: Paint,
): readonly string[] {
  const [header = '', ...lines] = table([HEADER, ...explained.map(toRow)]).map(printable)
  return [paint('bold', header), ...lines]
}

function toRow(explained: ExplainedOperation): readonly string[] {
  const { operation, method, path, behaviour, resource = '-', reason, deprecated } = explained
  const note = deprecated ? '; deprecated' : ''
  return [operation, `${method} ${path}`, behaviour, resource, reason + note]
}
