import { describe, expect, test } from 'vitest'
import { headerText, pathText, queryPairs } from './serialize-parameter.ts'

const ARRAY = ['blue', 'black', 'brown']
const OBJECT = { R: 100, G: 200, B: 150 }

describe('a path parameter', () => {
  test.each([
    ['matrix', false, 'blue', ';color=blue'],
    ['matrix', false, ARRAY, ';color=blue,black,brown'],
    ['matrix', false, OBJECT, ';color=R,100,G,200,B,150'],
    ['matrix', true, ARRAY, ';color=blue;color=black;color=brown'],
    ['matrix', true, OBJECT, ';R=100;G=200;B=150'],
    ['label', false, 'blue', '.blue'],
    ['label', false, ARRAY, '.blue,black,brown'],
    ['label', true, ARRAY, '.blue.black.brown'],
    ['label', true, OBJECT, '.R=100.G=200.B=150'],
    ['simple', false, ARRAY, 'blue,black,brown'],
    ['simple', false, OBJECT, 'R,100,G,200,B,150'],
    ['simple', true, OBJECT, 'R=100,G=200,B=150'],
    ['simple', false, 'a/b c', 'a%2Fb%20c'],
  ] as const)(
    'of style %s with explode: %s is written as OpenAPI says',
    (style, explode, value, text) => {
      expect(pathText({ name: 'color', in: 'path', style, explode }, value)).toBe(text)
    },
  )
})

describe('a query parameter', () => {
  test.each([
    ['form', true, 'blue', 'color=blue'],
    ['form', true, ARRAY, 'color=blue&color=black&color=brown'],
    ['form', true, OBJECT, 'R=100&G=200&B=150'],
    ['form', false, ARRAY, 'color=blue,black,brown'],
    ['form', false, OBJECT, 'color=R,100,G,200,B,150'],
    ['spaceDelimited', false, ARRAY, 'color=blue%20black%20brown'],
    ['pipeDelimited', false, ARRAY, 'color=blue%7Cblack%7Cbrown'],
    ['deepObject', true, OBJECT, 'color[R]=100&color[G]=200&color[B]=150'],
    ['deepObject', true, { a: { b: [1, 2] } }, 'color[a][b]=1&color[a][b]=2'],
  ] as const)(
    'of style %s with explode: %s is written as OpenAPI says',
    (style, explode, value, text) => {
      const pairs = queryPairs({ name: 'color', in: 'query', style, explode }, value)

      expect(pairs.map((pair) => pair.join('=')).join('&')).toBe(text)
    },
  )

  test('with a media type is JSON', () => {
    const parameter = { name: 'filter', in: 'query', mediaType: 'application/json' } as const

    expect(queryPairs(parameter, { a: 1 })).toEqual([['filter', '%7B%22a%22%3A1%7D']])
  })
})

describe('a header', () => {
  test.each([
    [false, ARRAY, 'blue,black,brown'],
    [false, OBJECT, 'R,100,G,200,B,150'],
    [true, OBJECT, 'R=100,G=200,B=150'],
  ] as const)('with explode: %s is written as OpenAPI says', (explode, value, text) => {
    expect(headerText({ name: 'X-Color', in: 'header', explode }, value)).toBe(text)
  })
})
