import { describe, expect, test } from 'vitest'
import { linkTo } from './link.ts'

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
