import { type NewPet, type Page, type Pet, type PetClient, Refused, type Status } from './client.ts'

/** What the page shows. */
export interface ShopState {
  readonly pets: readonly Pet[]
  readonly status?: Status | undefined
  /** The cursor of the next page. */
  readonly next?: string | undefined
  /** Why the last request was refused. */
  readonly message?: string | undefined
  /** Epoch milliseconds until which the store asks to wait. */
  readonly waitUntil?: number | undefined
}

/** The page's doings, free of the page. */
export interface Shop {
  readonly state: ShopState
  /** Lists from the first page on: animals of one status, or all. */
  show(status?: Status): Promise<void>
  /** Adds the next page to the list. */
  more(): Promise<void>
  add(pet: NewPet): Promise<void>
  /** Whole seconds that are still to wait. */
  secondsLeft(): number
}

/** A page's size. */
const LIMIT = 8

/** `onChange` is called with each new state; nothing is sent while the store asks to wait. */
export function createShop(client: PetClient, onChange: (state: ShopState) => void): Shop {
  let state: ShopState = { pets: [] }

  function become(next: ShopState): void {
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
      become({ ...(await change()), message: undefined, waitUntil: undefined })
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      const { message, retryAfter } = error
      const waitUntil = retryAfter === undefined ? undefined : Date.now() + retryAfter * 1000
      become({ ...state, message, waitUntil })
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
