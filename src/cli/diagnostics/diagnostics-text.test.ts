import { expect, test } from 'vitest'
import { diagnosticLine, diagnosticsText } from './diagnostics-text.ts'

function plain(_style: unknown, text: string): string {
  return text
}

test('equal mistakes are one entry, which shows five of their places', () => {
  const places = Array.from({ length: 12 }, (_, line) => `a.yaml:${line + 1}:3`)

  const text = diagnosticsText(
    [
      ...places.map((location) => ({ reason: 'it is wrong', assumed: 'it is right', location })),
      { reason: 'unknown type "objct"', suggestion: 'object', location: 'b.yaml:1:1' },
    ],
    plain,
  )

  expect(text).toMatchInlineSnapshot(`
    "13 mistakes in the document:

    a.yaml:1:3  it is wrong (at 12 places)
        Assumed instead: it is right.
        also at a.yaml:2:3
        also at a.yaml:3:3
        also at a.yaml:4:3
        also at a.yaml:5:3
        and at 7 more places

    b.yaml:1:1  unknown type "objct"
        Did you mean "object"?
    "
  `)
})

test('a list shows a hundred kinds of mistakes, and counts the others', () => {
  const many = Array.from({ length: 120 }, (_, index) => ({
    reason: `mistake ${index}`,
    location: 'a.yaml:1:1',
  }))

  const text = diagnosticsText([...many, ...many], plain)

  expect(text).toContain('240 mistakes in the document:\n')
  expect(text).toContain('  mistake 99 (at 2 places)\n')
  expect(text).not.toContain('mistake 100')
  expect(text).toMatch(/\n\n40 more mistakes\. List all with --json\.\n$/)
})

test('a document without mistakes is said to have none', () => {
  expect(diagnosticsText([], plain)).toBe('No mistakes were found in the document.\n')
})

test('control characters of a document do not reach the terminal', () => {
  const diagnostic = { reason: 'the path "\u001b[2J\u0007" is wrong', location: 'a\u009b.yaml:1:1' }

  const printed = diagnosticsText([diagnostic], plain) + diagnosticLine(diagnostic)

  expect(printed).not.toMatch(/(?!\n)\p{Cc}/u)
})

test('one mistake is one line', () => {
  const line = diagnosticLine({
    reason: 'the example does not match its schema',
    assumed: 'there is no example',
    help: 'Correct the example.',
    location: 'a.yaml:7:9',
  })

  expect(line).toBe(
    'a.yaml:7:9: the example does not match its schema. Assumed instead: there is no example. Correct the example.',
  )
})

test('what was not checked is listed, and is no mistake', () => {
  const note = {
    reason: 'some paths were not checked',
    location: 'a.yaml',
    isUnchecked: true,
  } as const

  expect(diagnosticsText([note], plain)).toBe(
    'No mistakes were found in the document.\n\na.yaml  some paths were not checked\n',
  )
})
