import { expect, test } from 'vitest'
import type { MediaType } from '../../contract/contract.ts'
import { writerOf } from './writers.ts'

/** The body and the content type of a value. */
async function write(
  mediaType: string,
  value: unknown,
  more: Partial<MediaType> = {},
): Promise<{ readonly body: string | Uint8Array; readonly contentType?: string }> {
  const { write: writeContent } = writerOf(mediaType)
  return writeContent(
    value,
    { media: { mediaType, ...more }, mediaType, contentType: mediaType },
    'books',
  )
}

const BOOKS = [
  { id: 1, title: 'A "b", c' },
  { id: 2, tags: ['x'] },
]

test.each<[mediaType: string, value: unknown, body: string]>([
  ['application/json', BOOKS, JSON.stringify(BOOKS)],
  ['application/vnd.api+json', null, 'null'],
  ['text/plain', 'Hello', 'Hello'],
  ['text/plain', { id: 1 }, '{"id":1}'],
  ['text/markdown', '# Hello', '# Hello'],
  ['application/yaml', { id: 1 }, '{\n  "id": 1\n}\n'],
  ['text/csv', BOOKS, 'id,title,tags\r\n1,"A ""b"", c",\r\n2,,"[""x""]"\r\n'],
  [
    'text/csv',
    [
      ['a', 1],
      ['b', null],
    ],
    'a,1\r\nb,\r\n',
  ],
  ['text/csv', 'a,b\r\n', 'a,b\r\n'],
  ['text/tab-separated-values', [{ a: 'x,y', b: 'z\tz' }], 'a\tb\r\nx,y\t"z\tz"\r\n'],
  ['application/x-ndjson', [1, { a: 'b\nc' }], '1\n{"a":"b\\nc"}\n'],
  ['application/jsonl', { a: 1 }, '{"a":1}\n'],
  ['application/json-seq', [1, 2], '\u001e1\n\u001e2\n'],
  [
    'text/event-stream',
    [{ event: 'added', id: 7, data: 'one\ntwo' }, { title: 'three' }],
    'id: 7\nevent: added\ndata: one\ndata: two\n\ndata: {"title":"three"}\n\n',
  ],
  [
    'application/x-www-form-urlencoded',
    { a: 'b c', d: [1, 2], e: { f: 1 } },
    'a=b+c&d=1&d=2&e=%7B%22f%22%3A1%7D',
  ],
])('%s has %j as %j', async (mediaType, value, body) => {
  expect((await write(mediaType, value)).body).toBe(body)
})

test('a form has its properties in the styles of their encodings', async () => {
  const encoding = {
    list: { style: 'pipeDelimited', explode: false },
    place: { style: 'deepObject' },
    data: { contentType: 'application/json' },
  } as const
  const value = { list: [1, 2], place: { city: 'Bern' }, data: [3] }

  const { body } = await write('application/x-www-form-urlencoded', value, { encoding })

  expect(decodeURIComponent(String(body))).toBe('list=1|2&place[city]=Bern&data=[3]')
})

test('a multipart body can be read as a form', async () => {
  const schema = { properties: { file: { type: 'string', format: 'binary' } } }
  const value = { name: 'Käse', file: 'bytes', tags: ['a', 'b'], more: { x: 1 } }

  const { body, contentType = '' } = await write('multipart/form-data', value, { schema })
  const form = await new Response(String(body), {
    headers: { 'Content-Type': contentType },
  }).formData()

  expect([form.get('name'), form.getAll('tags'), form.get('more')]).toEqual([
    'Käse',
    ['a', 'b'],
    '{"x":1}',
  ])
  expect(form.get('file')).toBeInstanceOf(File)
})

test.each([
  ['image/png', '89504e47'],
  ['image/jpeg', 'ffd8ffe0'],
  ['image/gif', '47494638'],
  ['image/webp', '52494646'],
  ['image/bmp', '424d3a00'],
  ['image/x-icon', '00000100'],
  ['application/pdf', '25504446'],
  ['application/zip', '504b0304'],
  ['application/gzip', '1f8b0800'],
  ['audio/wav', '52494646'],
  ['audio/mpeg', 'ffe318c4'],
  ['video/mp4', '0000001c'],
  ['application/octet-stream', '00010203'],
])('%s is a file that begins with %s', async (mediaType, start) => {
  const { body } = await write(mediaType, undefined)

  expect(Buffer.from(body).toString('hex', 0, 4)).toBe(start)
  expect(body.length).toBeLessThan(400)
})

test('an SVG image is text', async () => {
  expect((await write('image/svg+xml', undefined)).body).toMatch(/^<svg xmlns=/)
})
