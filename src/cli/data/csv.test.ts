import { describe, expect, it } from 'vitest'
import { Mistakes } from '../../document/mistake.ts'
import { parseCsv } from './csv.ts'

function rowsOf(text: string): readonly unknown[] {
  return parseCsv('pets.csv', text).map(({ values }) => values)
}

function mistakeOf(text: string): string {
  try {
    parseCsv('pets.csv', text)
  } catch (error) {
    if (error instanceof Mistakes) return `${error.list[0]?.location}: ${error.list[0]?.reason}`
  }
  return ''
}

describe('CSV', () => {
  it.each<[rule: string, text: string, rows: readonly unknown[]]>([
    ['names its columns in the first line', 'id,name\n1,Rex\n', [{ id: '1', name: 'Rex' }]],
    ['needs no line break at its end', 'id\n1\n2', [{ id: '1' }, { id: '2' }]],
    ['may have the line breaks of Windows', 'id\r\n1\r\n', [{ id: '1' }]],
    ['may start with a byte order mark', '\uFEFFid\n1\n', [{ id: '1' }]],
    ['has no value in an empty cell', 'id,name\n1,\n', [{ id: '1' }]],
    ['may lack cells at the end of a line', 'id,name\n1\n', [{ id: '1' }]],
    ['has no record in an empty line', 'id\n\n1\n\n', [{ id: '1' }]],
    ['may have commas in quotes', 'name\n"Rex, Max"\n', [{ name: 'Rex, Max' }]],
    ['has a quote as two in quotes', 'name\n"the ""dog"""\n', [{ name: 'the "dog"' }]],
    ['may have line breaks in quotes', 'id,name\n1,"a\nb"\n', [{ id: '1', name: 'a\nb' }]],
    ['has no records without lines', '', []],
  ])('%s', (_rule, text, rows) => {
    expect(rowsOf(text)).toEqual(rows)
  })

  it.each<[rule: string, text: string, mistake: string]>([
    ['too many cells', 'id\n1,Rex\n', 'pets.csv:2:3: the line has more than 1 values'],
    ['an unnamed column', 'id,,name\n', 'pets.csv:1:4: the column has no name'],
    ['a column twice', 'id,id\n', 'pets.csv:1:4: the column "id" exists twice'],
    [
      'an open quote',
      'id,name\n1,"Rex\n',
      'pets.csv:2:3: the quotes of the value are not closed, or are within it',
    ],
  ])('is refused with its location for %s', (_rule, text, mistake) => {
    expect(mistakeOf(text)).toBe(mistake)
  })

  it('knows the line and column of each value, also after line breaks in quotes', () => {
    const [first, second] = parseCsv('pets.csv', 'id,name\n"1\n",a\n2,b\n')

    expect([first?.line, first?.columns.get('name')]).toEqual([2, 3])
    expect([second?.line, second?.columns.get('name')]).toEqual([4, 3])
  })
})
