import {
  array,
  assert,
  boolean,
  constant,
  dictionary,
  integer,
  letrec,
  oneof,
  property,
  string,
} from 'fast-check'
import { test } from 'vitest'
import { isMap, isNode, isScalar, isSeq, parseDocument, stringify } from 'yaml'
import type { Pointer } from './json-value.ts'
import { findOffsets } from './positions.ts'

/** Random values with names that objects inherit, and text that needs quotes. */
const { value } = letrec((tie) => ({
  value: oneof({ depthSize: 'small' }, tie('leaf'), tie('list'), tie('map')),
  leaf: oneof(string(), integer(), boolean(), constant(null), constant('a: #b'), constant('x\ny')),
  list: array(tie('value'), { maxLength: 4 }),
  map: dictionary(
    oneof(string({ minLength: 1 }), constant('__proto__'), constant('constructor'), constant('0')),
    tie('value'),
    { maxKeys: 4 },
  ),
}))

interface Position {
  readonly pointer: Pointer
  readonly part: 'key' | 'value'
  readonly offset: number
}

/** The position of each key and value of a text, as the `yaml` package finds them. */
function positionsOf(text: string): Position[] {
  const { contents } = parseDocument(text, { prettyErrors: false, uniqueKeys: false })
  return positionsAt(contents, [])
}

function positionsAt(
  node: unknown,
  pointer: Pointer,
  part: Position['part'] = 'value',
): Position[] {
  const [offset = 0] = isNode(node) ? (node.range ?? []) : []
  const own = { pointer, part, offset }
  if (isSeq(node)) {
    const inner = node.items.flatMap((item, index) =>
      positionsAt(item, [...pointer, String(index)]),
    )
    return [own, ...inner]
  }
  if (!isMap(node)) return [own]
  const inner = node.items.flatMap(({ key, value: child }) => {
    const below = [...pointer, isScalar(key) ? String(key.value) : '']
    return [...positionsAt(key, below, 'key'), ...positionsAt(child, below)]
  })
  return [own, ...inner]
}

test.each<[string, (value: unknown) => string]>([
  ['JSON in one line', (one) => JSON.stringify(one)],
  ['indented JSON', (one) => JSON.stringify(one, null, 2)],
  ['YAML', (one) => stringify(one, { lineWidth: 0 })],
  ['YAML with folded lines', (one) => stringify(one, { lineWidth: 20 })],
  ['YAML in quotes', (one) => stringify(one, { defaultStringType: 'QUOTE_SINGLE' })],
])('finds the offset of every key and value in %s', (_format, write) => {
  void assert(
    property(value, (one) => {
      const text = write(one)
      const expected = positionsOf(text)

      const offsets = findOffsets(text, expected)

      for (const [index, { pointer, part, offset }] of expected.entries()) {
        if (offsets[index] === offset) continue
        throw new Error(
          `${part} of ${JSON.stringify(pointer)}: ${offsets[index]}, not ${offset}, in ${text}`,
        )
      }
    }),
    { numRuns: 200 },
  )
})
