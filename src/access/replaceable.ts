/** Values by name. They are replaced, never changed in place. */
export interface Replaceable<Name, Value extends object> {
  read(): ReadonlyMap<Name, Value>
  /** Replaces the present value, without a check; `undefined` removes it. */
  put(name: Name, value: Value | undefined): void
}
