import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scaledRuns } from '../testing/long-run.ts'
import { PathPattern } from './path-pattern.ts'

/** A path template as a regular expression, which may take exponential time. */
function toRegExp(template: string): RegExp {
  const parts = template.split(/\{[^}]+\}/).map((part) => part.replace(/\./g, '\\.'))
  return new RegExp(`^${parts.join('([^/]+)')}$`)
}

describe('a path pattern', () => {
  it.each<[template: string, path: string, values: readonly string[]]>([
    ['/', '/', []],
    ['/books', '/books', []],
    ['/books/{id}', '/books/7', ['7']],
    ['/{from}-{to}', '/a-b-c', ['a-b', 'c']],
    ['/{from}{to}', '/abc', ['ab', 'c']],
    ['/{a}--{b}--{c}', '/x-----y--z', ['x---', 'y', 'z']],
    ['/v{version}.{format}', '/v1.2.json', ['1.2', 'json']],
    ['/{id}/x{part}', '/7/xx', ['7', 'x']],
    ['/{}/{id}', '/%7B%7D/7', ['7']],
    ['/{open', '/%7Bopen', []],
    ['/{a/b}/c', '/x/c', ['x']],
  ])('%s matches %s', (template, path, values) => {
    expect(new PathPattern(template).match(path)).toEqual(values)
  })

  it.each([
    ['/books', '/books/'],
    ['/books', 'books'],
    ['/books/{id}', '/books/'],
    ['/books/{id}', '/books/7/8'],
    ['/{from}-{to}', '/-b'],
    ['/{from}-{to}', '/a-'],
    ['/{from}-{to}', '/ab'],
    ['/{from}{to}', '/a'],
    ['/a{x}a', '/aa'],
    ['/a{x}bc{y}c', '/axbc'],
    ['/x/{a}-{b}', '/x-x/ab'],
  ])('%s does not match %s', (template, path) => {
    expect(new PathPattern(template).match(path)).toBeUndefined()
  })

  it('returns the values of a greedy regular expression', () => {
    const piece = fc.constantFrom('a', 'b', 'ab', '-', '/', '{x}', '.')
    const template = fc.array(piece, { maxLength: 8 }).map((pieces) => `/${pieces.join('')}`)
    const path = fc
      .array(fc.constantFrom('a', 'b', '-', '/', '.'), { maxLength: 12 })
      .map((characters) => `/${characters.join('')}`)

    fc.assert(
      fc.property(template, path, (pattern, requested) => {
        const expected = toRegExp(pattern).exec(requested)?.slice(1)

        expect(new PathPattern(pattern).match(requested)).toEqual(expected)
      }),
      { numRuns: scaledRuns(3000) },
    )
  })

  it.each([
    ['/{a}a{b}a{c}a{d}ab', `/${'a'.repeat(100_000)}c`],
    [`/${'{x}'.repeat(600)}b`, `/${'a'.repeat(100_000)}`],
    [`/${'{'.repeat(100_000)}`, '/a'],
  ])('%.20s… rejects a long path in linear time', (template, path) => {
    expect(new PathPattern(template).match(path)).toBeUndefined()
  })
})
