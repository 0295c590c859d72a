import type { Contract } from '../contract/contract.ts'
import { isCallerPath } from '../inference/callers.ts'
import { CALLERS } from '../inference/path-shape.ts'
import type { Id, StoredRecord } from '../records/record-table.ts'
import { pathsOf, resourceNamed } from '../resources/bind.ts'
import type { Resource } from '../resources/resource.ts'
import type { Store } from '../resources/store/store.ts'
import { once } from '../validation/objects.ts'

/** Somebody who can sign in. */
export interface SignInUser {
  /** The name in tokens (`sub`): the id of the record, as text. */
  readonly id: string
  readonly name: string
  readonly email?: string
  readonly username?: string
  /** The plan that the record names; absent when it names none. */
  readonly plan?: string
  /** The claims of ID tokens and of userinfo, by what the record says (OpenID Connect Core, section 5.1). */
  readonly claims: Readonly<Record<string, unknown>>
}

/** So many users are shown. Others sign in by `login_hint`. */
const MOST_USERS = 10

/** Those who can sign in where the document has no users. */
const INVENTED: readonly SignInUser[] = [
  invented('user_1', 'Ada Park', 'ada'),
  invented('user_2', 'Ben Osei', 'ben'),
  invented('user_3', 'Cleo Marin', 'cleo'),
]

function invented(id: string, name: string, username: string): SignInUser {
  const [given, family] = name.split(' ')
  const email = `${username}@example.com`
  return {
    ...{ id, name, email, username },
    claims: {
      name,
      given_name: given,
      family_name: family,
      preferred_username: username,
      email,
      email_verified: true,
    },
  }
}

/** The collection whose records are the users: that of the caller's own record, else one that is called like users. */
const usersResourceOf: (contract: Contract) => Resource | undefined = once((contract: Contract) => {
  const own = contract.operations.find(({ path, hints }) => isCallerPath(path) && hints?.caller)
  const byOwn = own?.hints?.resource
  const found = byOwn === undefined ? undefined : resourceNamed(contract, byOwn)
  if (found) return found
  const [name] = Object.entries(pathsOf(contract))
    .filter(
      ([, path]) => !path.includes('{') && CALLERS.test(path.slice(path.lastIndexOf('/') + 1)),
    )
    .sort(([, one], [, other]) => one.split('/').length - other.split('/').length)
    .map(([known]) => known)
  return name === undefined ? undefined : resourceNamed(contract, name)
})

/** The first users. */
export async function listUsers(contract: Contract, store: Store): Promise<readonly SignInUser[]> {
  const resource = usersResourceOf(contract)
  if (!resource) return INVENTED
  const records = await store.open(resource)
  const { records: rows } = await records.page({ limit: MOST_USERS })

  return rows.map((row) => toUser(row, resource))
}

/** The user with an id; `undefined` when there is none, or not any more. */
export async function findUser(
  id: string,
  contract: Contract,
  store: Store,
): Promise<SignInUser | undefined> {
  const resource = usersResourceOf(contract)
  if (!resource) return INVENTED.find((user) => user.id === id)
  const record = await recordOf(id, resource, store)
  return record && toUser(record, resource)
}

/** The user that a person means: by id, e-mail address, user name or name, in any case of letters. */
export async function findUserNamed(
  text: string,
  contract: Contract,
  store: Store,
): Promise<SignInUser | undefined> {
  const own = await findUser(text, contract, store)
  if (own) return own
  const resource = usersResourceOf(contract)
  const isMeant = (user: SignInUser): boolean =>
    [user.email, user.username, user.name].some((one) => one?.toLowerCase() === text.toLowerCase())
  if (!resource) return INVENTED.find(isMeant)
  const records = await store.open(resource)
  const { records: rows } = await records.page({})

  return rows.map((row) => toUser(row, resource)).find(isMeant)
}

async function recordOf(
  id: string,
  resource: Resource,
  store: Store,
): Promise<StoredRecord | undefined> {
  const records = await store.open(resource)
  const ids: readonly Id[] = /^-?\d+$/.test(id) ? [Number(id), id] : [id]
  for (const one of ids) {
    const record = await records.get(one)
    if (record) return record
  }
  return undefined
}

function toUser(record: StoredRecord, resource: Resource): SignInUser {
  const text = (...names: readonly string[]): string | undefined => {
    const found = names.map((name) => record[name])
    return found.find((value): value is string => typeof value === 'string' && value !== '')
  }
  const id = String(record[resource.id])
  const email = text('email', 'email_address', 'emailAddress', 'mail')
  const username = text('username', 'user_name', 'userName', 'login', 'handle', 'nickname')
  const given = text('given_name', 'givenName', 'first_name', 'firstName')
  const family = text('family_name', 'familyName', 'last_name', 'lastName', 'surname')
  const full = [given, family].filter((part) => part !== undefined).join(' ')
  const own = text('name', 'full_name', 'fullName', 'display_name', 'displayName')
  const name = own ?? (full || username || email || id)
  const plan = text('plan')

  return {
    id,
    name,
    ...(email !== undefined && { email }),
    ...(username !== undefined && { username }),
    ...(plan !== undefined && { plan }),
    claims: withoutUndefined({
      name,
      given_name: given,
      family_name: family,
      preferred_username: username,
      email,
      ...(email !== undefined && { email_verified: true }),
      picture: text('picture', 'avatar', 'avatar_url', 'avatarUrl', 'photo', 'image'),
      locale: text('locale', 'language'),
      zoneinfo: text('zoneinfo', 'timezone', 'time_zone'),
      phone_number: text('phone_number', 'phoneNumber', 'phone'),
    }),
  }
}

function withoutUndefined(claims: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
}

/** The claims that scopes allow to see (OpenID Connect Core, section 5.4). */
const CLAIMS: Readonly<Record<string, readonly string[]>> = {
  profile: [
    'name',
    'given_name',
    'family_name',
    'preferred_username',
    'picture',
    'locale',
    'zoneinfo',
  ],
  email: ['email', 'email_verified'],
  phone: ['phone_number'],
}

/** The claims of a user that a client with these scopes gets. */
export function claimsOf(
  { id, claims }: SignInUser,
  scopes: readonly string[],
): Readonly<Record<string, unknown>> {
  const allowed = scopes.flatMap((scope) => CLAIMS[scope] ?? [])
  return {
    sub: id,
    ...Object.fromEntries(Object.entries(claims).filter(([name]) => allowed.includes(name))),
  }
}
