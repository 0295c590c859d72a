import { expect, test } from 'vitest'
import type { OperationDocumentation } from '../contract/documentation.ts'
import { parseText, textsOf } from './commonmark.ts'

const EMPTY: OperationDocumentation = { parameters: [], responses: [], schemas: {} }

test('reads stress, code, lists, quotes, headings and links of CommonMark', () => {
  const text =
    '# Pets\n\nAll *of* **them**, `as` [listed][1].\n\n3. one\n\n> said\n\n---\n\n[1]: https://a.test'

  expect(parseText(text)).toEqual([
    { kind: 'heading', parts: ['Pets'] },
    {
      kind: 'paragraph',
      parts: [
        'All ',
        { kind: 'emphasis', parts: ['of'] },
        ' ',
        { kind: 'strong', parts: ['them'] },
        ', ',
        { kind: 'code', parts: ['as'] },
        ' ',
        { kind: 'link', parts: ['listed'], url: 'https://a.test' },
        '.',
      ],
    },
    {
      kind: 'numbered-list',
      parts: [{ kind: 'item', parts: [{ kind: 'paragraph', parts: ['one'] }] }],
      start: 3,
    },
    { kind: 'quote', parts: [{ kind: 'paragraph', parts: ['said'] }] },
    { kind: 'rule', parts: [] },
  ])
})

test('leaves HTML as text, and makes a link of a picture', () => {
  expect(parseText('<script>run()</script>\n\na ![cat](http://a.test/cat.png)<br>b')).toEqual([
    '<script>run()</script>',
    {
      kind: 'paragraph',
      parts: [
        'a ',
        { kind: 'link', parts: ['cat'], url: 'http://a.test/cat.png' },
        { kind: 'line-break', parts: [] },
        'b',
      ],
    },
  ])
})

test('cuts what is too long or too deep', () => {
  const [quote] = parseText('> '.repeat(60))
  const long = JSON.stringify(parseText('a'.repeat(60_000)))

  expect(JSON.stringify(quote).match(/quote/g)?.length).toBeLessThanOrEqual(31)
  expect(long.length).toBeLessThan(51_000)
  expect(long).toContain('…')
})

test('has the descriptions of an operation that are more than one plain paragraph, once', () => {
  const description = 'The *name*'
  const schema = { description, example: { description: '*data*' }, enum: ['*data*'] }

  const texts = textsOf({
    ...EMPTY,
    description: 'A well-known list. All is plain.',
    parameters: [{ name: 'a', in: 'query', description, schema, examples: [] }],
    schemas: { Pet: { properties: { description: { description: '__proto__' } } } },
  })

  expect(texts).toEqual({
    'The *name*': [{ kind: 'paragraph', parts: ['The ', { kind: 'emphasis', parts: ['name'] }] }],
    ['__proto__' as string]: [{ kind: 'paragraph', parts: [{ kind: 'strong', parts: ['proto'] }] }],
  })
})

test('leaves a text with thousands of marks as it is written', () => {
  const texts = textsOf({
    ...EMPTY,
    description: '_a*_'.repeat(2000),
    responses: [{ status: '200', description: '*short*', content: [], headers: [] }],
  })

  expect(Object.keys(texts)).toEqual(['*short*'])
})
