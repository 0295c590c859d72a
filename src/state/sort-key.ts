import type { Id } from './record-table.ts'

/**
 * A text for a value and an id. The order of these texts is the order of a list that is sorted by the value: numbers, texts,
 * `false`, `true`, and everything else; then by the id.
 */
export function sortKey(value: unknown, id: Id): string {
  return textOf(value) + textOf(id)
}

function textOf(value: unknown): string {
  if (typeof value === 'number' && !Number.isNaN(value)) return `1${numberText(value)}`
  // A text ends with a NUL, so that `a` comes before `aa` whatever follows. A NUL of its own gets a mark.
  if (typeof value === 'string') return `2${value.replaceAll('\0', '\0\uffff')}\0`
  if (typeof value === 'boolean') return value ? '4' : '3'
  return '5'
}

const view = new DataView(new ArrayBuffer(8))

/** 16 hexadecimal digits in the order of the numbers: the bits of the number, with the sign first. */
function numberText(value: number): string {
  // 0 and -0 are the same number.
  view.setFloat64(0, value === 0 ? 0 : value)
  const bits = view.getBigUint64(0)
  const isNegative = bits >> 63n === 1n
  const ordered = isNegative ? ~bits & 0xffff_ffff_ffff_ffffn : bits | (1n << 63n)

  return ordered.toString(16).padStart(16, '0')
}
