import { createSandbox } from '../../index.ts'
import { NOON, type OpenControl } from '../control.ts'
import { type Instance, openInstances } from './instances.ts'

/**
 * Opens the control interfaces of two instances on one store: requests alternate between them. `prefixOf` returns what the keys of
 * the store start with.
 */
export function sharedControls(addressOf: () => string, prefixOf?: () => string): OpenControl {
  return (control = {}, settings) => {
    const given = { control, ...(prefixOf && { prefix: prefixOf() }) }
    const opening = openInstances(addressOf(), settings, given).then(async (instances) => {
      await instances[0].host.use('default', {}, ({ world }) => world.clock.set(NOON))
      return instances
    })
    // A test that ends before it sends a request ends the store, too. The others see the error.
    opening.catch(() => undefined)
    let turn = 0
    const next = async (): Promise<Instance> => {
      const [first, second] = await opening
      turn += 1
      return turn % 2 === 0 ? first : second
    }
    // What tests ask of a sandbox, but its answers, is the same in memory.
    const sandbox = createSandbox(settings)
    const fetch = async (request: Request): Promise<Response> => (await next()).fetch(request)
    Object.defineProperty(sandbox, 'fetch', { value: fetch })

    return {
      sandbox,
      control: {
        fetch: async (request, peer) => (await next()).control.fetch(request, peer),
        close: () => void opening.then((all) => all.map((one) => one.control.close())),
      },
      callControl: async (...call) => (await next()).callControl(...call),
    }
  }
}
