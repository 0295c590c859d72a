import { describe, expect, test } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { untimedLength } from './time-limit.ts'

describe('the length that needs no time limit', () => {
  test.each<[pattern: string, length: number]>([
    ['^[A-Z]{2}\\d{4}$', 1_000_000],
    ['^[0-9a-f]{8}-[0-9a-f]{4}$', 1_000_000],
    ['^Bearer ', 1_000_000],
    ['^a*$', 1000],
    ['^\\d{1,10}$', 100_000],
    ['^\\d{1,1000}$', 1000],
    ['^\\d{1,}$', 1000],
    ['^\\+?[0-9 ()+*-]{3,12}$', 50_000],
    ['^(?:ab?|[^\\]?*]c?)$', 250_000],
    ['^(?:a+)+$', 16],
    ['^a+b+$', 100],
    ['^[^@ ]+@[^@ ]+\\.[^@ ]+$', 31],
    ['^(a?){50}$', 16],
    ['^(a|a)*$', 16],
    ['^([0-9a-f]{4}-){3}[0-9a-f]{12}$', 1_000_000],
    ['^([0-9a-f]+-){3}$', 16],
    ['^\\d{4}-\\d\\d(T\\d\\d:\\d\\d([.]\\d{1,10})?)?$', 25_000],
    ['^(a+)?(b+)?(c+)?(d+)?(e+)?$', 16],
    ['^((a+)?b)*$', 16],
  ])('for the pattern %s is %i', (pattern, length) => {
    const schemas: Schema[] = [{ pattern }, { patternProperties: { [pattern]: {} } }]

    expect(schemas.map((schema) => Math.floor(untimedLength(schema) + 1e-6))).toEqual([
      length,
      length,
    ])
  })

  test.each<[schema: Schema, length: number]>([
    [{ type: 'string', format: 'uri' }, Number.POSITIVE_INFINITY],
    [{ uniqueItems: true }, 1000],
    [{ pattern: '^a*$', patternProperties: { '^(a+)+$': {}, a: {} } }, 16],
  ])('is the smallest in %j', (schema, length) => {
    expect(untimedLength(schema)).toBe(length)
  })
})
