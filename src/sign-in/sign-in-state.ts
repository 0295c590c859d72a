import type { Plan } from '../access/callers.ts'
import type { Contract } from '../contract/contract.ts'
import { RandomSource } from '../generate/random.ts'
import type { StoredRecord } from '../records/record-table.ts'
import type { Records } from '../resources/store/records.ts'
import type { Store } from '../resources/store/store.ts'
import type { AnsweringService } from '../responses/answering-service.ts'
import type { Clock } from '../time/clock.ts'
import { SIGN_IN_RECORDS } from './collection.ts'
import { type SignInOptions, type SignInSettings, signInSettings } from './sign-in-settings.ts'

/** The world of sign-in, and what it needs of it. */
export interface SignInHost {
  readonly service: AnsweringService & {
    readonly settings: {
      readonly contract: Contract
      readonly signIn: SignInOptions
      readonly seed: number
    }
  }
  readonly clock: Clock
  readonly keys: { readonly plans: readonly Plan[] }
  readonly openStore: () => Promise<Store>
}

/** What a user allowed a client, or what a client may do by itself. All codes and tokens of a grant end with it. */
export interface Grant {
  readonly id: string
  readonly kind: 'grant'
  readonly client: string
  /** The name that the user has in tokens (`sub`); absent when the client acts for itself. */
  readonly user?: string
  readonly scopes: readonly string[]
  readonly plan?: string
  /** When the user signed in, in epoch milliseconds of the sandbox's clock. */
  readonly authTime: number
  readonly nonce?: string
  /** Why it has ended; absent while it is in force. */
  readonly ended?: 'revoked' | 'code-reused' | 'refresh-reused' | 'logout'
}

/** An access or refresh token, or an authorization code. Its id begins with the kind. */
export interface IssuedToken {
  readonly id: string
  readonly kind: 'access' | 'refresh' | 'code'
  /** The id of its grant. */
  readonly grant: string
  readonly scopes: readonly string[]
  /** The complete text; an altered token has another one. */
  readonly text: string
  /** On the sandbox's clock, in epoch milliseconds. */
  readonly issuedAt: number
  readonly expiresAt: number
  /** Whether it was revoked, or, as a code or a refresh token, used. */
  readonly isSpent?: true
  /** What the token request has to repeat: only of codes. */
  readonly redirect?: string
  readonly challenge?: { readonly method: 'S256' | 'plain'; readonly text: string }
}

/** A device that waits until its user has entered the code (RFC 8628). */
export interface DeviceRequest {
  readonly id: string
  readonly kind: 'device'
  readonly client: string
  readonly scopes: readonly string[]
  readonly userCode: string
  readonly expiresAt: number
  /** When the device may ask again, in epoch milliseconds of the sandbox's clock. */
  readonly nextPoll: number
  /** Seconds between two polls. */
  readonly interval: number
  readonly grant?: string
  readonly isDenied?: true
  /** Whether the device has got its tokens. */
  readonly isUsed?: true
}

/** The code that a user enters for a device, such as `BDWP-HQPK`. */
export interface UserCode {
  readonly id: string
  readonly kind: 'user-code'
  readonly device: string
}

/** A browser in which a user has signed in. */
export interface BrowserSession {
  readonly id: string
  readonly kind: 'session'
  readonly user: string
  readonly authTime: number
}

/** A key that signs JWTs. The latest one is in use. */
export interface SigningKey {
  readonly id: string
  readonly kind: 'key'
  readonly kid: string
  readonly private: Readonly<Record<string, unknown>>
  readonly public: Readonly<Record<string, unknown>>
  readonly number: number
}

/** How many random texts there were, where they follow from the seed, and how many wrong codes were sent. */
interface Counts {
  readonly id: 'counts'
  readonly kind: 'counts'
  readonly random: number
  readonly wrongCodes: number
}

/** The records of a kind. */
export type RecordOf<Kind extends SignInRecord['kind']> = Kind extends IssuedToken['kind']
  ? IssuedToken
  : Extract<SignInRecord, { readonly kind: Kind }>

export type SignInRecord =
  | Grant
  | IssuedToken
  | DeviceRequest
  | UserCode
  | BrowserSession
  | SigningKey
  | Counts

/** So many tokens are issued between two times at which those are forgotten that ended more than a day ago. */
const TOKENS_BETWEEN_CLEANUPS = 1000
const FORGET_AFTER = 86_400_000

const CHARACTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789']

/** The state of sign-in of a world, which is in its store. Each write takes turns with others. */
export class SignInState {
  readonly host: SignInHost
  readonly #records: Records
  readonly #undos: (() => Promise<void>)[] = []

  private constructor(host: SignInHost, records: Records) {
    this.host = host
    this.#records = records
  }

  static async open(host: SignInHost): Promise<SignInState> {
    const store = await host.openStore()
    return new SignInState(host, await store.open(SIGN_IN_RECORDS))
  }

  get settings(): SignInSettings {
    return signInSettings(this.host.service.settings.signIn)
  }

  get now(): number {
    return this.host.clock.now()
  }

  /** The time in tokens that clients compare with their own clock, in epoch milliseconds. */
  get clientTime(): number {
    return this.settings.timestamps === 'sandbox' ? this.now : Date.now()
  }

  async find<Kind extends SignInRecord['kind']>(
    kind: Kind,
    name: string,
  ): Promise<RecordOf<Kind> | undefined> {
    const record = await this.#records.get(`${kind}:${name}`)
    return isOfKind(record, kind) ? record : undefined
  }

  /** All of a kind, in no particular order. */
  async all<Kind extends SignInRecord['kind']>(kind: Kind): Promise<readonly RecordOf<Kind>[]> {
    const { records } = await this.#records.page({ where: { kind } })
    return records.filter((record) => isOfKind(record, kind))
  }

  async add<Added extends SignInRecord>(record: Added): Promise<Added> {
    const stored = await this.#records.create({ ...record })
    this.#undos.push(() => this.#records.undo(record.id, undefined, stored))
    return record
  }

  /**
   * Replaces a record by what `change` returns for it; `undefined` leaves it as it is. Resolves with the record before the change, so that of
   * two requests only one can use a code.
   */
  async change<Changed extends SignInRecord>(
    id: string,
    kind: Changed['kind'],
    change: (record: Changed) => Changed | undefined,
  ): Promise<Changed | undefined> {
    const present = await this.#records.get(id)
    if (!isOfKind(present, kind)) return undefined
    let before: StoredRecord | undefined
    const after = await this.#records.update(id, (record) => {
      before = record
      const changed = change(record as unknown as Changed)
      return changed ? { ...changed } : record
    })
    this.#undos.push(() => this.#records.undo(id, before, after))
    return before as unknown as Changed | undefined
  }

  async remove(id: string): Promise<void> {
    await this.#records.remove(id)
  }

  /** Undoes the changes, the last one first, unless others have changed the same since. */
  readonly undo = async (): Promise<void> => {
    for (const undo of this.#undos.splice(0).reverse()) await undo()
  }

  /** Whether anything was changed. */
  get isChanged(): boolean {
    return this.#undos.length > 0
  }

  /** A random text of letters and digits, with `62 ** length` possible values. */
  async randomText(length: number, characters: readonly string[] = CHARACTERS): Promise<string> {
    if (this.settings.random === 'system') return systemText(length, characters)
    const count = await this.#count('random')
    const { seed } = this.host.service.settings
    const random = RandomSource.from([seed, 'sign-in', count])

    return Array.from({ length }, () => random.pick(characters)).join('')
  }

  /** Counts a code or token that was never issued, and resolves with how many there were. */
  countWrongCode(): Promise<number> {
    return this.#count('wrongCodes')
  }

  async wrongCodes(): Promise<number> {
    const counts = await this.#counts()
    return counts?.wrongCodes ?? 0
  }

  /** Forgets tokens that ended long ago, from time to time. */
  async forgetOld(): Promise<void> {
    const issued = await this.#records.count({ where: { kind: 'access' } })
    if (issued === 0 || issued % TOKENS_BETWEEN_CLEANUPS !== 0) return
    const limit = this.now - FORGET_AFTER
    for (const kind of ['access', 'refresh', 'code'] as const) {
      for (const { id, expiresAt } of await this.all(kind)) {
        if (expiresAt < limit) await this.remove(id)
      }
    }
  }

  async #counts(): Promise<Counts | undefined> {
    const record = await this.#records.get('counts')
    return isOfKind(record, 'counts') ? record : undefined
  }

  async #count(name: 'random' | 'wrongCodes'): Promise<number> {
    if (!(await this.#counts())) {
      const first: Counts = { id: 'counts', kind: 'counts', random: 0, wrongCodes: 0 }
      await this.add(first).catch(() => undefined)
    }
    let count = 0
    await this.change<Counts>('counts', 'counts', (counts) => {
      count = counts[name] + 1
      return { ...counts, [name]: count }
    })
    return count
  }
}

function isOfKind<Kind extends SignInRecord['kind']>(
  record: StoredRecord | undefined,
  kind: Kind,
): record is StoredRecord & RecordOf<Kind> {
  return record?.kind === kind
}

function systemText(length: number, characters: readonly string[]): string {
  let text = ''
  // Bytes above the largest multiple would make some characters more likely.
  const limit = 256 - (256 % characters.length)
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < limit && text.length < length) text += characters[byte % characters.length]
    }
  }
  return text
}
