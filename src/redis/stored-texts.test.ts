import { describe, expect, it } from 'vitest'
import { StoreUnavailableError } from '../records/stored-records.ts'
import { KeptRecords } from './stored-texts.ts'

const TEXT = '3 0 {"name":"Fern"}'

describe('kept records', () => {
  it('give the same object for the same text of a record', () => {
    const kept = new KeptRecords()

    const first = kept.read(7, TEXT, 'pets')

    expect(first).toEqual({ id: 7, version: '3', generation: 0, record: { name: 'Fern' } })
    expect(kept.read(7, TEXT, 'pets')).toBe(first)
  })

  it('give what a changed text has', () => {
    const kept = new KeptRecords()
    kept.read(7, TEXT, 'pets')

    expect(kept.read(7, '4 0 {"name":"Moss"}', 'pets').record).toEqual({ name: 'Moss' })
    expect(kept.read(7, '5 1 ', 'pets').record).toBeUndefined()
  })

  it('tell the records of collections, and the ids 7 and "7", apart', () => {
    const kept = new KeptRecords()

    const number = kept.read(7, TEXT, 'pets')

    expect(kept.read(7, TEXT, 'fish')).not.toBe(number)
    expect(kept.read('7', TEXT, 'pets').id).toBe('7')
  })

  it('forget the records that were not read for long', () => {
    const kept = new KeptRecords()
    const [used, unused] = [kept.read('used', TEXT, 'pets'), kept.read('unused', TEXT, 'pets')]

    for (let id = 0; id < 20_000; id += 1) {
      kept.read(id, TEXT, 'pets')
      if (id % 1000 === 0) kept.read('used', TEXT, 'pets')
    }

    expect(kept.read('used', TEXT, 'pets')).toBe(used)
    expect(kept.read('unused', TEXT, 'pets')).not.toBe(unused)
  })

  it('refuse a text that no server wrote', () => {
    const kept = new KeptRecords()
    kept.read(7, TEXT, 'pets')

    expect(() => kept.read(7, 'Fern', 'pets')).toThrow(StoreUnavailableError)
  })
})
