import { describe, expect, test } from 'vitest'
import { linkTo, prefersHtml } from './headers.ts'

describe('the target of a link', () => {
  test.each([
    ['</pets?cursor=a>; rel="next"', '/pets?cursor=a'],
    ['</pets?cursor=a>; rel=next', '/pets?cursor=a'],
    ['</a>; rel="prev", </b>;rel="first next"', '/b'],
    ['</a,b;c>; title="x, <y>; rel=next"; REL="Next"', '/a,b;c'],
    ['</a>; rel="prev"; rel="next"', undefined],
    ['</a>; rel="nextish"', undefined],
    ['</a>, </b>; title="\\"; rel=next', undefined],
    ['</a', undefined],
    ['', undefined],
  ])('in %s is %s', (header, target) => {
    expect(linkTo(header, 'next')).toBe(target)
  })

  test.each(['<', '<>', '<>;', '<>;rel', '<>;rel="', '<>;rel=" ', '; ', '<>,'])(
    'is looked for once in 200,000 times %s',
    (part) => {
      expect(linkTo(part.repeat(200_000), 'next')).toBeUndefined()
    },
  )
})

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8'

test.each([
  BROWSER,
  'text/html',
  'text/html, */*; q=0.01',
  'TEXT/HTML;charset=utf-8',
  'text/*',
  'text/html;q=0.5, application/json;q=0.4',
  'text/html; Q=1.000, application/*; q=0.999',
  'application/json;q=0, text/html;q=0.1',
])('HTML is preferred by Accept: %s', (accept) => {
  expect(prefersHtml(accept)).toBe(true)
})

test.each([
  undefined,
  '',
  '*/*',
  'application/json',
  'application/json, text/plain, */*',
  'application/json, text/html',
  'text/html, application/json',
  'text/html;q=0',
  'text/html;q=0, */*',
  'text/html;q=0.5, */*',
  'text/html;q=2',
  'text/plain',
  'image/*, */*;q=0.8',
  'text/htmlx',
])('HTML is not preferred by Accept: %s', (accept) => {
  expect(prefersHtml(accept)).toBe(false)
})
