import {
  type NewPet,
  type Page,
  type Pet,
  type PetClient,
  type Status,
  StoreError,
} from './client.ts'

/** The state of the page. */
export interface ShopState {
  readonly pets: readonly Pet[]
  readonly status?: Status | undefined
  /** The cursor of the next page. */
  readonly next?: string | undefined
  /** The message of the last error response. */
  readonly message?: string | undefined
  /** The time in epoch milliseconds until which the store asks the client to wait. */
  readonly waitUntil?: number | undefined
}

/** The logic of the page, without the DOM. */
export interface Shop {
  readonly state: ShopState
  /** Loads the first page: animals with one status, or all. */
  show(status?: Status): Promise<void>
  /** Loads the next page and appends it to the list. */
  more(): Promise<void>
  add(pet: NewPet): Promise<void>
  /** The remaining seconds to wait, rounded up. */
  secondsLeft(): number
}

/** The number of animals on a page. */
const LIMIT = 8

/** `onChange` is called with each new state. No request is sent while the client must wait. */
export function createShop(client: PetClient, onChange: (state: ShopState) => void): Shop {
  let state: ShopState = { pets: [] }

  function setState(next: ShopState): void {
    state = next
    onChange(state)
  }

  async function load(status: Status | undefined, cursor?: string): Promise<Page> {
    return await client.list({
      limit: LIMIT,
      ...(status && { status }),
      ...(cursor && { cursor }),
    })
  }

  async function attempt(change: () => Promise<ShopState>): Promise<void> {
    if (secondsLeft() > 0) return
    try {
      setState({ ...(await change()), message: undefined, waitUntil: undefined })
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      const { message, retryAfter } = error
      const waitUntil = retryAfter === undefined ? undefined : Date.now() + retryAfter * 1000
      setState({ ...state, message, waitUntil })
    }
  }

  function secondsLeft(): number {
    return Math.max(0, Math.ceil(((state.waitUntil ?? 0) - Date.now()) / 1000))
  }

  return {
    get state() {
      return state
    },
    secondsLeft,
    show: (status) => attempt(async () => ({ ...(await load(status)), status })),
    more: () =>
      attempt(async () => {
        const page = await load(state.status, state.next)
        return { ...state, next: undefined, ...page, pets: [...state.pets, ...page.pets] }
      }),
    add: (pet) =>
      attempt(async () => {
        const added = await client.add(pet)
        return { ...state, pets: [added, ...state.pets] }
      }),
  }
}
