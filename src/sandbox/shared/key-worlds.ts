import { identify } from '../../access/identify.ts'
import type { Service } from '../../engine/service.ts'
import type { CoreRequest, CoreResponse } from '../../http/message.ts'
import { OWN_WORLD } from '../worlds.ts'
import { digestOf } from './contract-digest.ts'
import type { KnownWorlds } from './known-worlds.ts'
import { tooManyChanges } from './shared-world.ts'

/** The start of the names of the worlds of API keys. Requests cannot choose such a world by its name. */
export const KEY_WORLD = 'key:'

/** How many digits of a digest a name has. */
const DIGITS = 32

/** How many keys an instance remembers the world of. */
const MAX_NAMES = 10_000

/** How often a request chooses its world again because the keys have changed meanwhile. */
const MAX_CHOICES = 50

/** Leads each valid API key of the default world to a world of its own. All other requests share the default world. */
export class KeyWorlds {
  readonly #worlds: KnownWorlds
  readonly #service: Service
  readonly #names = new Map<string, string>()

  constructor(worlds: KnownWorlds, service: Service) {
    this.#worlds = worlds
    this.#service = service
  }

  readonly answer = async (request: CoreRequest): Promise<CoreResponse> => {
    const own = this.#worlds.use(OWN_WORLD)
    for (let attempt = 1; attempt <= MAX_CHOICES; attempt += 1) {
      const { keys } = own
      const { key, credential } = identify(
        request,
        keys.callers,
        this.#service.access.rules.schemes,
      )
      const isOwn = key !== 'valid' || credential === undefined
      const response = isOwn
        ? await own.answer(request, { isByOwnKeys: true })
        : await this.#worlds
            .use(await this.#nameOf(credential))
            .answer(request, { keys, isPresent: own.verify() })
      if (response) return response
    }
    throw tooManyChanges(OWN_WORLD)
  }

  async #nameOf(key: string): Promise<string> {
    const known = this.#names.get(key)
    if (known !== undefined) return known
    if (this.#names.size === MAX_NAMES) this.#names.clear()
    const name = KEY_WORLD + (await digestOf(key)).slice(0, DIGITS)
    this.#names.set(key, name)
    return name
  }
}
