import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scaledRuns } from '../testing/long-run.ts'
import { ANY, type IndexedRoute, RouteIndex } from './router.ts'

/** Routes that count how often they are compared with a path. */
function countedRoutes(templates: readonly string[]): {
  readonly routes: readonly IndexedRoute[]
  readonly compared: () => number
} {
  let count = 0
  const routes = templates.map((template) => {
    const pattern = new RegExp(`^${template.replaceAll(/[()]/g, '\\$&').replaceAll(ANY, '[^/]+')}$`)
    const matches = (path: string): boolean => {
      count += 1
      return pattern.test(path)
    }
    return { template, matches }
  })
  return { routes, compared: () => count }
}

const TEMPLATES = [
  (index: number) => `/resource${index}/${ANY}`,
  (index: number) => `/${ANY}/resource${index}`,
  (index: number) => `/Resource${index}(${ANY})`,
  (index: number) => `/${ANY}:action${index}`,
  (index: number) => `/a/${ANY}/b/${ANY}/c${index}/${ANY}`,
]

describe('the index of routes', () => {
  it.each([10, 4000])('compares a path with only one of %i templates', (size) => {
    const templates = TEMPLATES.flatMap((template) =>
      Array.from({ length: size }, (_, index) => template(index)),
    )
    const { routes, compared } = countedRoutes(templates)
    const index = new RouteIndex(routes)

    const wanted = TEMPLATES.map((template) => template(size - 1))
    const found = wanted.map((template) => index.find(template.replaceAll(ANY, '7'))?.template)

    expect(found).toEqual(wanted)
    expect(compared()).toBe(TEMPLATES.length)
  })

  it('finds the same route as a linear search in the order of precedence', () => {
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
      fc.property(fc.uniqueArray(template, { maxLength: 40 }), path, (templates, requested) => {
        const { routes } = countedRoutes(templates)

        const expected = routes.find(({ matches }) => matches(requested))
        expect(new RouteIndex(routes).find(requested)).toBe(expected)
      }),
      { numRuns: scaledRuns(100) },
    )
  })
})
