/** Returns the object with some of its methods replaced. */
export const withMethods = <T extends object>(object: T, methods: object): T =>
  new Proxy(object, {
    get(target, name) {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name);
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
