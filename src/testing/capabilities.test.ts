import { describe, expect, it } from 'vitest'
import { createSandbox } from '../index.ts'
import {
  type Capability,
  failOnUndeclared,
  failOnUnused,
  requiredCapabilities,
} from './capabilities.ts'

const BASE = 'http://localhost/v1'

describe('What a request needs', () => {
  const sandbox = createSandbox({ records: 0 })

  it.each<[path: string, headers: Record<string, string>, count: number, needs: Capability[]]>([
    ['/v1/pets?limit=1', { Prefer: 'code=500' }, 50, []],
    ['/v1/pets/', {}, 1, []],
    ['/v1/pets/%zz', {}, 1, []],
    ['/v1/dogs', {}, 1, ['unknown paths']],
    ['/v1', {}, 1, ['unknown paths']],
    ['/v10/pets', {}, 1, ['unknown paths']],
    ['/pets', {}, 1, ['unknown paths']],
    ['/v1/pets', { Origin: 'https://shop.example' }, 1, ['forbidden headers']],
    ['/v1/pets', { 'Access-Control-Request-Method': 'POST' }, 1, ['forbidden headers']],
    ['/v1/pets', {}, 51, ['many requests']],
    ['/v1/dogs', { Cookie: 'a=b' }, 51, ['unknown paths', 'forbidden headers', 'many requests']],
  ])('is told by its address, headers and number: %s %j %d', (path, headers, count, needs) => {
    const request = new Request(`http://localhost${path}`, { headers })

    expect(requiredCapabilities(request, { base: BASE, sandbox }, count)).toEqual(needs)
  })
})

describe('An example', () => {
  it('may ask for what it is described with', () => {
    const met = new Set<Capability>(['unknown paths', 'many requests'])

    expect(() => failOnUndeclared(['many requests', 'unknown paths'], met)).not.toThrow()
    expect(() => failOnUnused(['many requests', 'unknown paths'], met)).not.toThrow()
  })

  it('fails when it asks for more, and is told where it belongs', () => {
    const met = new Set<Capability>(['unknown paths', 'forbidden headers'])

    expect(() => failOnUndeclared(['unknown paths'], met)).toThrow(
      'The example asks for forbidden headers, which not every transport carries. ' +
        "Move it into describeEachTransportWith(['unknown paths', 'forbidden headers'], …).",
    )
  })

  it('fails when it asks for less', () => {
    expect(() => failOnUnused(['unknown paths'], new Set())).toThrow(
      'The example never asks for unknown paths, and is left out where they are not carried. ' +
        'Move it into a block that does not need them.',
    )
  })
})
