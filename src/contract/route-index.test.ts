import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scaledRuns } from '../testing/long-run.ts'
import { ANY, type IndexedRoute, RouteIndex } from './route-index.ts'

interface CountedRoute extends IndexedRoute {
  readonly template: string
}

/** Counts the templates that are compared with a path. */
function countedRoutes(templates: readonly string[]): {
  readonly routes: readonly CountedRoute[]
  readonly compared: () => number
} {
  let count = 0
  const routes = templates.map((template) => {
    const pattern = new RegExp(`^${template.replaceAll(/[()]/g, '\\$&').replaceAll(ANY, '[^/]+')}$`)
    const fits = (path: string): boolean => {
      count += 1
      return pattern.test(path)
    }
    return { template, shape: template, fits }
  })
  return { routes, compared: () => count }
}

const SHAPES = [
  (at: number) => `/resource${at}/${ANY}`,
  (at: number) => `/${ANY}/resource${at}`,
  (at: number) => `/Resource${at}(${ANY})`,
  (at: number) => `/${ANY}:action${at}`,
  (at: number) => `/a/${ANY}/b/${ANY}/c${at}/${ANY}`,
]

describe('the index of routes', () => {
  it.each([10, 4000])('compares a path with one of %i templates alone', (size) => {
    const templates = SHAPES.flatMap((shape) => Array.from({ length: size }, (_, at) => shape(at)))
    const { routes, compared } = countedRoutes(templates)
    const index = new RouteIndex(routes)

    const wanted = SHAPES.map((shape) => shape(size - 1))
    const found = wanted.map((template) => index.find(template.replaceAll(ANY, '7'))?.template)

    expect(found).toEqual(wanted)
    expect(compared()).toBe(SHAPES.length)
  })

  it('finds what a search of all routes in their order finds', () => {
    const segment = fc.constantFrom(
      'a',
      'ab',
      'b',
      ANY,
      `a${ANY}`,
      `${ANY}b`,
      `a${ANY}b`,
      `${ANY}a${ANY}`,
    )
    const template = fc
      .array(segment, { minLength: 1, maxLength: 4 })
      .map((one) => `/${one.join('/')}`)
    const text = fc.constantFrom('a', 'ab', 'b', 'aab', 'bab', 'aabb', '')
    const path = fc.array(text, { minLength: 1, maxLength: 4 }).map((one) => `/${one.join('/')}`)

    fc.assert(
      fc.property(fc.uniqueArray(template, { maxLength: 40 }), path, (templates, sent) => {
        const { routes } = countedRoutes(templates)

        const expected = routes.find(({ fits }) => fits(sent))
        expect(new RouteIndex(routes).find(sent)).toBe(expected)
      }),
      { numRuns: scaledRuns(100) },
    )
  })
})
