/** The newest format of compiled modules that this version reads. A later format can add parts, such as bindings. */
export const CONTRACT_FORMAT: number = 1
