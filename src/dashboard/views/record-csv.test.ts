import { expect, test } from 'vitest'
import { readCsv, toCsv } from './record-transfer.tsx'

const PROPERTIES = [
  { name: 'id', schema: { type: 'integer' } },
  { name: 'name', schema: { type: 'string' } },
  { name: 'isNew', schema: { type: 'boolean' } },
  { name: 'tags', schema: { type: 'array' } },
] as const

test('records are the same after they were written and read as CSV', () => {
  const records = [
    { id: 1, name: 'a "quoted", text\r\nin two lines', isNew: false, tags: ['x', { y: 1 }] },
    { id: 2, name: ' 007', note: { deep: null }, count: 5 },
    { id: 3, name: '=1+1', tags: [], note: 'free' },
  ]

  const text = toCsv(records, PROPERTIES)

  expect(text.split('\r\n')[0]).toBe('id,name,isNew,tags,note,count')
  expect(readCsv(text, PROPERTIES)).toEqual(records)
})

test('CSV of other programs is read: with a mark of its encoding, with \\n, and without a line at the end', () => {
  expect(readCsv('\uFEFFname,id\nAda,\n\n"Bob ""B""",2', PROPERTIES)).toEqual([
    { name: 'Ada' },
    { name: 'Bob "B"', id: 2 },
  ])
  expect(readCsv('name\n', PROPERTIES)).toEqual([])
})

test.each([
  ['', 'it has no line with the names of the properties'],
  ['id,name\n1', 'record 1 has 1 cells instead of 2'],
  ['id\nmany', 'id of record 1: many is not a number'],
  ['tags\n[1', 'tags of record 1: Not valid JSON'],
  ['name\n"Ada', 'the quotes of record 1 are not closed'],
])('a file %j is refused: %s', (text, reason) => {
  expect(() => readCsv(text, PROPERTIES)).toThrow(reason)
})
