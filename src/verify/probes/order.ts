/**
 * The order in which probes are sent. The most informative ones come first, because a budget may end the run. Records are
 * listed before they are read, and removed last.
 */
export const ORDER = {
  list: 10,
  authentication: 11,
  longestList: 15,
  filter: 16,
  readListed: 17,
  readAbsent: 18,
  stateless: 19,
  create: 20,
  missingProperty: 21,
  shortList: 22,
  createComplete: 24,
  valueOutOfRange: 30,
  invalidBody: 32,
  boundaryValue: 34,
  change: 36,
  otherAuthentication: 40,
  unusualValue: 44,
  largeInteger: 45,
  rejectedChange: 47,
  pages: 50,
  decidedRejection: 60,
  unknownRoute: 62,
  mediaTypeAndSize: 64,
  remove: 70,
  quota: 90,
} as const
