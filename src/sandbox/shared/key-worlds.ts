import { identify } from '../../access/identify.ts'
import type { Keys } from '../../access/keys.ts'
import type { Service } from '../../engine/service.ts'
import type { CoreRequest, CoreResponse } from '../../http/message.ts'
import { OWN_WORLD } from '../worlds.ts'
import { digestOf } from './contract-digest.ts'
import type { KnownWorlds } from './known-worlds.ts'
import { tooManyChanges } from './too-many-changes.ts'
import type { Choice } from './world-choice.ts'

/** The start of the names of the worlds of API keys. Requests cannot choose such a world by its name. */
export const KEY_WORLD = 'key:'

/** The name of the world of a key, which does not contain the key. */
export async function keyWorldOf(key: string): Promise<string> {
  return KEY_WORLD + (await digestOf(key)).slice(0, DIGITS)
}

/** Whether a world is that of an API key. Snapshots do not have it. */
export function isKeyWorld(name: string): boolean {
  return name.startsWith(KEY_WORLD)
}

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
      const { key, credential, isUnlisted } = identify(
        request,
        keys.callers,
        this.#service.access.rules.schemes,
      )
      const isOwn = key !== 'valid' || credential === undefined
      const response = isOwn
        ? await own.answer(request, { isByOwnKeys: true })
        : await this.#answerIn(await this.#nameOf(credential), request, keys, {
            group: isUnlisted ? 'others' : 'keys',
          })
      if (response) return response
    }
    throw tooManyChanges(OWN_WORLD)
  }

  /** Answers in the world of a key, which is verified meanwhile. */
  #answerIn(
    name: string,
    request: CoreRequest,
    keys: Keys,
    choice: Pick<Choice, 'group'>,
  ): Promise<CoreResponse | undefined> {
    const isPresent = this.#worlds.use(OWN_WORLD).verify(keys)
    // The request itself meets the error of a store that is away.
    isPresent.catch(() => undefined)

    return this.#worlds.use(name).answer(request, { ...choice, keys, isPresent })
  }

  async #nameOf(key: string): Promise<string> {
    const known = this.#names.get(key)
    if (known !== undefined) return known
    if (this.#names.size === MAX_NAMES) this.#names.clear()
    const name = await keyWorldOf(key)
    this.#names.set(key, name)
    return name
  }
}
