import { hostname } from 'node:os'
import { parseStoreAddress, showAddress } from '../../redis/store-address.ts'
import type { ServeSettings } from '../settings.ts'

/** The settings with a name of this server. Servers that share a store have one by default. */
export function withInstance(settings: ServeSettings): ServeSettings {
  const { store, instance } = settings
  if (store === undefined || instance !== undefined) return settings
  return { ...settings, instance: `${hostname()}-${process.pid}` }
}

/** The store without its credentials, and the name of this server; `undefined` without a store. */
export function describeStore({
  store,
  instance = '',
}: ServeSettings): { readonly store: string; readonly instance: string } | undefined {
  if (store === undefined) return undefined
  return { store: showAddress(parseStoreAddress(store)), instance }
}
