import { describe, expect, it } from 'vitest'
import type { Deprecation, Operation } from './contract.ts'
import { deprecationHeaders, operationRemoved, removalOf } from './deprecation.ts'

const DATE = Date.parse('2025-12-05T00:00:00Z')
const SUNSET = Date.parse('2030-12-05T00:00:00Z')
const BASE = 'http://localhost/v1'

function operationOf(deprecation?: Deprecation): Operation {
  return {
    id: 'getPet',
    method: 'GET',
    path: '/pets/{petId}',
    secured: true,
    parameters: [],
    responses: [],
    ...(deprecation && { deprecation }),
  }
}

describe('an operation', () => {
  it.each<[name: string, deprecation: Deprecation | undefined, now: number, isRemoved: boolean]>([
    ['a millisecond before its sunset', { sunset: SUNSET }, SUNSET - 1, false],
    ['at its sunset', { sunset: SUNSET }, SUNSET, true],
    ['after its sunset', { sunset: SUNSET }, SUNSET + 1, true],
    ['without a sunset', { date: DATE }, SUNSET * 10, false],
    ['that is not deprecated', undefined, SUNSET * 10, false],
  ])('%s is served or removed as documented', (_name, deprecation, now, isRemoved) => {
    const problem = removalOf(operationOf(deprecation), now)

    expect(problem?.message).toBe(
      isRemoved ? 'getPet was removed on Thu, 05 Dec 2030 00:00:00 GMT.' : undefined,
    )
  })

  it('that is removed names its replacement', () => {
    const operation = operationOf({ sunset: SUNSET, successor: '/pets?status=available' })

    expect(operationRemoved(operation, SUNSET)).toMatchObject({
      status: 404,
      code: 'operation_removed',
      message:
        'getPet was removed on Thu, 05 Dec 2030 00:00:00 GMT. Use /pets?status=available instead.',
    })
  })

  it('without a sunset that is forced to be removed is removed from now on', () => {
    expect(operationRemoved(operationOf(), SUNSET).message).toBe(
      'getPet was removed on Thu, 05 Dec 2030 00:00:00 GMT.',
    )
  })
})

describe('the deprecation headers', () => {
  it.each<[name: string, deprecation: Deprecation, headers: Record<string, string>]>([
    ['nothing without dates', {}, {}],
    ['the date in Unix seconds', { date: DATE }, { Deprecation: '@1764892800' }],
    ['the sunset as a date', { sunset: SUNSET }, { Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT' }],
    [
      'the successor below the base address',
      { successor: '/pets?status=available' },
      { Link: '<http://localhost/v1/pets?status=available>; rel="successor-version"' },
    ],
    [
      'a successor at another address unchanged',
      { successor: 'https://new.test/v2/pets' },
      { Link: '<https://new.test/v2/pets>; rel="successor-version"' },
    ],
  ])('contain %s', (_name, deprecation, headers) => {
    expect(deprecationHeaders(deprecation, BASE)).toEqual(headers)
  })
})
