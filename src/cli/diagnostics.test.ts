import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DiagnosticsCollector } from '../document/diagnostics.ts'
import { loadDocument } from '../document/load-document.ts'
import {
  describeMistakes,
  diagnosticLine,
  diagnosticsText,
  knownMistakes,
  logNewMistakes,
} from './diagnostics.ts'
import { resolveSettings, type ServeSettings } from './settings.ts'

const SETTINGS = resolveSettings([])

async function commandFor(name: string, settings: Partial<ServeSettings> = {}): Promise<string> {
  const document = await loadDocument('src/testing/library.yaml')
  const diagnostics = { ...document.diagnostics, count: 2 }
  const known = knownMistakes({ ...document, name, diagnostics }, { ...SETTINGS, ...settings })

  return known?.command ?? ''
}

test('the command that lists the mistakes has the options with which the document was read', async () => {
  const command = await commandFor('books.yaml', {
    headers: { 'X-Key': 'secret' },
    overlay: ['a.yaml', 'my hints.yaml'],
    remoteRefs: true,
    outsideRefs: true,
    strict: false,
  })

  expect(command).toBe(
    "pet-sandbox explain books.yaml -H 'X-Key: …' --overlay a.yaml --overlay 'my hints.yaml' " +
      '--allow-remote-refs --allow-outside-refs --diagnostics',
  )
})

test.each([
  ['my api.yaml', "'my api.yaml'"],
  ["$(id)'s.yaml", "'$(id)'\\''s.yaml'"],
  ['-x.yaml', './-x.yaml'],
  ['-', '-'],
  ['https://example.com/openapi.json?a=1&b=2', "'https://example.com/openapi.json?a=1&b=2'"],
])('the document %s is one word of the command', async (name, word) => {
  expect(await commandFor(name)).toBe(`pet-sandbox explain ${word} --diagnostics`)
})

test('a document without mistakes has no notice', async () => {
  const document = await loadDocument('src/testing/library.yaml')

  expect(knownMistakes(document, SETTINGS)).toBe(undefined)
})

test('the notice has the number of mistakes', () => {
  const command = 'pet-sandbox explain a.yaml --diagnostics'

  expect(describeMistakes({ count: 1, command })).toBe(
    `1 mistake in the document so far. List all: ${command}`,
  )
  expect(describeMistakes({ count: 12, command })).toBe(
    `12 mistakes in the document so far. List all: ${command}`,
  )
})

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

const COMMAND = 'pet-sandbox explain books.yaml --diagnostics'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function mistakes(from: number, count: number): { reason: string; location: string }[] {
  return Array.from({ length: count }, (_, index) => ({
    reason: `mistake ${from + index}`,
    location: 'books.yaml:1:1',
  }))
}

test('mistakes that are found while the document is served are logged once, in batches', () => {
  const diagnostics = new DiagnosticsCollector()
  diagnostics.add(...mistakes(0, 3))
  const lines: string[] = []
  logNewMistakes(diagnostics, COMMAND, (one) => lines.push(diagnosticLine(one)))

  diagnostics.add(...mistakes(3, 1))
  diagnostics.add(...mistakes(4, 1))
  const before = [...lines]
  vi.advanceTimersByTime(1000)
  vi.advanceTimersByTime(5000)

  expect(before).toEqual([])
  expect(lines).toEqual(['books.yaml:1:1: mistake 3.', 'books.yaml:1:1: mistake 4.'])
})

test('after twenty mistakes, the log names the command that lists the others', () => {
  const diagnostics = new DiagnosticsCollector()
  const lines: string[] = []
  logNewMistakes(diagnostics, COMMAND, (one) => lines.push(diagnosticLine(one)))

  diagnostics.add(...mistakes(0, 15))
  vi.advanceTimersByTime(1000)
  diagnostics.add(...mistakes(15, 15))
  vi.advanceTimersByTime(1000)
  diagnostics.add(...mistakes(30, 15))
  vi.advanceTimersByTime(1000)

  expect(lines).toHaveLength(21)
  expect(lines[20]).toBe(
    `the document: further mistakes of the document are not logged. List them: ${COMMAND}`,
  )
})
