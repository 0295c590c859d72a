import { expect, test } from 'vitest'
import { mistakesIn } from './body-mistakes.ts'

/** The messages of the mistakes in a text, each with the part of the text that is marked. */
function marked(text: string, locations: readonly string[] = []): readonly (readonly string[])[] {
  const errors = locations.map((location) => ({ location, message: 'is wrong' }))
  return mistakesIn(text, errors).map(({ message, from, to }) => [text.slice(from, to), message])
}

test('a mistake of a value is marked at the value, and one of an object at its beginning', () => {
  const text = '{"a.b": {"c": [1, "x"]}, "a": {"é\\n": null}, "tags": [{"n": 1}]}'

  expect(
    marked(text, [
      'query.limit',
      'body.a.b.c[1]',
      'body.a.é\n',
      'body.tags[0].missing',
      'body.other',
      'body',
    ]),
  ).toEqual([
    ['{', 'body.other is wrong'],
    ['{', 'body is wrong'],
    ['"x"', 'body.a.b.c[1] is wrong'],
    ['null', 'body.a.é\n is wrong'],
    ['{', 'body.tags[0].missing is wrong'],
  ])
})

test.each([
  ['{"a": 1,}', '}', 'a name in double quotes'],
  ['{"a" 1}', '1', 'a colon'],
  ['[1 2]', '2', 'a comma or ]'],
  ['{"a": x}', 'x', 'a value'],
  ['{"a": "\n"}', '"', 'a value'],
  ['[01]', '1', 'a comma or ]'],
  ['{} {}', '{', 'the end'],
  ['', '', 'a value'],
])('a mistake of the syntax of %j is marked where it is', (text, mark, expected) => {
  expect(marked(text, ['body'])).toEqual([
    [mark, `This is not JSON: ${expected} is expected here.`],
  ])
})

test('what JSON.parse takes has no mistake, and the others have one', () => {
  const texts = [
    '-0.5e+3',
    '"\\u00e4\\"😀"',
    '[[],{}]',
    ' {"__proto__": {"a": [true]}}\n',
    '1.',
    '-',
    '"\\x"',
    'nul',
    '["\t"]',
    '{"a":1',
  ]

  for (const text of texts) {
    const isJson = ((): boolean => {
      try {
        JSON.parse(text)
        return true
      } catch {
        return false
      }
    })()
    expect([text, marked(text).length]).toEqual([text, isJson ? 0 : 1])
  }
  expect(marked('['.repeat(100_000))).toHaveLength(1)
})
