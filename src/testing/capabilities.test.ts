import { describe, expect, it } from 'vitest'
import { createSandbox } from '../index.ts'
import {
  type Capability,
  failOnUndeclared,
  failOnUnused,
  requiredCapabilities,
} from './capabilities.ts'
import { TRANSPORTS } from './transports.ts'

const BASE = 'http://localhost/v1'

describe('the capabilities that a request uses', () => {
  const sandbox = createSandbox({ records: 0 })

  it.each<
    [path: string, headers: Record<string, string>, count: number, capabilities: Capability[]]
  >([
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
  ])('follow from its path, headers and number: %s %j %d', (path, headers, count, capabilities) => {
    const request = new Request(`http://localhost${path}`, { headers })

    expect(requiredCapabilities(request, { base: BASE, sandbox }, count)).toEqual(capabilities)
  })
})

describe('the examples of the specification', () => {
  const transportsWith = (capability: Capability): string[] =>
    TRANSPORTS.filter(({ lacks }) => !lacks.includes(capability)).map(({ name }) => name)
  const onStore = 'by two servers on one store'
  const complete = ['in process', 'over HTTP', onStore]

  it('run through two servers on one store whatever they need', () => {
    expect(transportsWith('unknown paths')).toEqual(complete)
    expect(transportsWith('many requests')).toEqual(['in process', onStore])
    expect(transportsWith('forbidden headers')).toEqual(expect.arrayContaining(complete))
  })
})

describe('a test', () => {
  it('may use the capabilities that it declares', () => {
    const used = new Set<Capability>(['unknown paths', 'many requests'])

    expect(() => failOnUndeclared(['many requests', 'unknown paths'], used)).not.toThrow()
    expect(() => failOnUnused(['many requests', 'unknown paths'], used)).not.toThrow()
  })

  it('fails when it uses a capability that it does not declare, with a hint where to move it', () => {
    const used = new Set<Capability>(['unknown paths', 'forbidden headers'])

    expect(() => failOnUndeclared(['unknown paths'], used)).toThrow(
      'The test uses forbidden headers, which some transports do not support. ' +
        "Move it into describeEachTransportWith(['unknown paths', 'forbidden headers'], …).",
    )
  })

  it('fails when it declares a capability that it does not use', () => {
    expect(() => failOnUnused(['unknown paths'], new Set())).toThrow(
      'The test does not use unknown paths, so it is skipped needlessly on some transports. ' +
        'Move it into a block that does not declare this capability.',
    )
  })
})
