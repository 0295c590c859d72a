import { expect, test } from 'vitest'
import { loadDocument } from '../../document/load-document.ts'
import { resolveSettings, type ServeSettings } from '../settings.ts'
import { describeMistakes, knownMistakes } from './known-mistakes.ts'

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
    `1 mistake in the document. List it: ${command}`,
  )
  expect(describeMistakes({ count: 12, command })).toBe(
    `12 mistakes in the document. List them: ${command}`,
  )
})
