/* Typed publishers and subscribers, for the classes that `saltus gen --lang cpp` generates. */
#ifndef SALTUS_TYPED_HPP
#define SALTUS_TYPED_HPP

#include "domain.hpp"

#include <climits>

namespace saltus {

namespace detail {

/** Whether it encodes and decodes messages. */
template <class T, class = void>
struct is_codec : std::false_type {};
template <class T>
struct is_codec<T, std::void_t<decltype(std::declval<const T &>().getEncodedSize()),
                               decltype(std::declval<const T &>().encode(static_cast<void *>(nullptr), 0, 0)),
                               decltype(std::declval<T &>().decode(static_cast<const void *>(nullptr), 0, 0))>>
    : std::is_default_constructible<T> {};

/** Whether it is a class of `saltus gen --lang cpp`. */
template <class T, class = void>
struct is_ours : std::false_type {};
template <class T>
struct is_ours<T, std::void_t<decltype(T::FULL_NAME), decltype(T::FINGERPRINT), decltype(T::SCHEMA)>> : is_codec<T> {};

/** Whether it is a class of `lcm-gen --cpp`, which has no schema. */
template <class T, class = void>
struct is_lcm : std::false_type {};
template <class T>
struct is_lcm<T, std::void_t<decltype(T::getTypeName()), decltype(T::getHash())>> : is_codec<T> {};

/** Whether it is a type of messages. */
template <class T>
inline constexpr bool is_message = is_ours<T>::value || is_lcm<T>::value;

/** The type of a generated class. Its name is null if the class is not a type; its schema is null for classes of LCM's generator. */
template <class T>
saltus_type type_of() noexcept {
    if constexpr (is_ours<T>::value) {
        return saltus_type{T::FULL_NAME, T::FINGERPRINT, T::SCHEMA};
    } else if constexpr (is_lcm<T>::value) {
        return saltus_type{T::getTypeName(), static_cast<std::uint64_t>(T::getHash()), ""};
    } else {
        return saltus_type{"", 0, ""};
    }
}

/** Compile-time error for a class that is not a message type. */
#define SALTUS_REQUIRE_MESSAGE(T)                                                                                                \
    static_assert(::saltus::detail::is_message<T>, "this is not a type of messages: use a class that `saltus gen --lang cpp` "   \
                                                   "or `lcm-gen --cpp` generates")

} // namespace detail

/** Publishes messages of one generated type. */
template <class T>
class publisher_of {
    SALTUS_REQUIRE_MESSAGE(T);

public:
    explicit publisher_of(domain_publisher publisher) : publisher_(std::move(publisher)) {}
    /**
     * Encodes and publishes. Allocates only for a message longer than all before it. SALTUS_ENCODE_FAILED if the size of an array differs
     * from its size field.
     */
    result<> publish(const T &message) {
        if constexpr (detail::is_message<T>) {
            const int size = message.getEncodedSize();
            buffer_.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
            if (size < 0 || message.encode(buffer_.data(), 0, size) != size) {
                return {SALTUS_ENCODE_FAILED, "a message cannot be encoded: an array has another size than its size field says"};
            }
        }
        return publisher_.publish(buffer_);
    }
    /** The publisher or subscriber of bytes that it uses. */
    domain_publisher &untyped() noexcept { return publisher_; }

private:
    domain_publisher publisher_;
    std::vector<unsigned char> buffer_;
};

/** A decoded message and its metadata. The next receive reuses its memory. */
template <class T>
struct typed {
    const T &message;
    saltus::message about;
    const T &operator*() const noexcept { return message; }
    const T *operator->() const noexcept { return &message; }
};

/** Receives messages of one generated type. Messages of another type are reported once, with SALTUS_WRONG_TYPE, and then skipped. */
template <class T>
class subscriber_of {
    SALTUS_REQUIRE_MESSAGE(T);

public:
    explicit subscriber_of(domain_subscriber subscriber)
        : subscriber_(std::move(subscriber)), message_(std::make_unique<T>()) {}
    /** Receives and decodes as its mode says. SALTUS_DECODE_FAILED if the message is damaged. */
    result<typed<T>> receive(until until) { return decoded(subscriber_.receive(until)); }
    /** Receives the newest message, even if it was already received. */
    result<typed<T>> current(until until) { return decoded(subscriber_.current(until)); }
    /** The publisher or subscriber of bytes that it uses. */
    domain_subscriber &untyped() noexcept { return subscriber_; }

private:
    result<typed<T>> decoded(const result<message> &got) {
        if (!got) {
            return result<typed<T>>::failed(got.code());
        }
        const bytes data = got->data();
        bool fits = data.size() <= static_cast<std::size_t>(INT_MAX);
        if constexpr (detail::is_message<T>) {
            fits = fits && message_->decode(data.data(), 0, static_cast<int>(data.size())) >= 0;
        }
        using of = result<typed<T>>;
        return fits ? of(typed<T>{*message_, *got})
                    : of::failed(SALTUS_DECODE_FAILED, "a message cannot be decoded as its type: it is damaged");
    }
    domain_subscriber subscriber_;
    std::unique_ptr<T> message_;
};

template <class T>
result<publisher_of<T>> domain::publisher(const char *channel) const {
    const saltus_type type = detail::type_of<T>();
    // A class from LCM's generator has no schema to register.
    const saltus_type *told = detail::is_ours<T>::value ? &type : nullptr;
    auto made = detail::open<domain_publisher>(
        [&](auto place) { return saltus_domain_publisher_open(handle_.get(), channel, told, place); });
    using of = result<publisher_of<T>>;
    return made ? of(publisher_of<T>(std::move(*made))) : of::failed(made.code());
}

template <class T>
result<subscriber_of<T>> domain::subscriber(const channels &which, mode mode) const {
    const saltus_type type = detail::type_of<T>();
    const saltus_domain_options with = mode.raw(which, &type);
    auto made = detail::open<domain_subscriber>(
        [&](auto place) { return saltus_domain_subscriber_open(handle_.get(), which.text(), &with, place); });
    using of = result<subscriber_of<T>>;
    return made ? of(subscriber_of<T>(std::move(*made))) : of::failed(made.code());
}

#undef SALTUS_REQUIRE_MESSAGE

} // namespace saltus

#endif // SALTUS_TYPED_HPP
